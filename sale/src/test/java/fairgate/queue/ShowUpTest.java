package fairgate.queue;

import static org.assertj.core.api.Assertions.assertThat;

import fairgate.Buyer;
import fairgate.SaleScripts;
import fairgate.SaleWorld;
import fairgate.kernel.Audit;
import fairgate.platform.observe.Metrics;
import fairgate.platform.redis.RedisReply;
import fairgate.testkit.Eventually;
import io.vertx.core.Vertx;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

/// Sessions that do not show up when their turn has come, and the pauses after missed turns.
final class ShowUpTest {
  private static final Duration LONG = Duration.ofSeconds(21);
  private static final Duration HOUR = Duration.ofHours(1);

  private final SaleWorld sale = SaleWorld.open(10, "show_up_ms", "20000", "cooldown_s", "60");

  @Test
  void aReadySessionThatDoesNotShowUpIsPassedOver() {
    Buyer gone = sale.ready();
    becameReady(gone, LONG);
    Buyer next = sale.buyer();
    assertThat(sale.join(next)).containsExactly("JOINED 0");
    steadyFor(HOUR);
    assertThat(sale.scripts().expire(10).await().absent()).isOne();
    assertThat(sale.status(gone)).isEqualTo("expired");
    assertThat(sale.session(gone, "ended")).isEqualTo("no_show");
    assertThat(sale.admit().texts()).contains(next.session().value());
  }

  /// Purchases ask for many passes, and looking at all ready sessions costs most of a pass.
  @Test
  void passesBetweenTicksDoNotLookForAbsentSessions() {
    Buyer gone = sale.ready();
    becameReady(gone, LONG);
    steadyFor(HOUR);
    ExpireScript script = new ExpireScript(sale.redis());
    assertThat(script.run(sale.keys(), false, false).await().absent()).isZero();
    Vertx vertx = Vertx.vertx();
    try (QueueLoop loop =
        new QueueLoop(
            vertx,
            QueueScripts.on(sale.redis()),
            QueueFeature.Config.defaults(),
            () -> List.of(sale.product()),
            new QueueMeters(new Metrics()),
            new QueueAudit(Audit.none()))) {
      Buyer next = sale.buyer();
      assertThat(sale.join(next)).containsExactly("JOINED 0");
      loop.soon(sale.product());
      Eventually.await(
          "a pass that was asked for", () -> !sale.session(next, "queue_status").equals("waiting"));
      assertThat(sale.session(gone, "queue_status")).isEqualTo("ready_to_purchase");
      loop.tick();
      Eventually.await("a tick", () -> sale.session(gone, "queue_status").equals("expired"));
    } finally {
      vertx.close().await();
    }
  }

  @Test
  void aReadySessionThatShowedUpKeepsItsWindow() {
    Buyer there = sale.ready();
    becameReady(there, LONG);
    steadyFor(HOUR);
    assertThat(sale.status(there)).isEqualTo("ready_to_purchase");
    sale.lastSeen(there, Duration.ofSeconds(1));
    assertThat(sale.scripts().expire(10).await().absent()).isZero();
  }

  /// Polls soon after the join and after the turn began are within a quarter of the timeout.
  @Test
  void theFirstPollOfATurnCounts() {
    Buyer there = sale.ready();
    long now = sale.now();
    sale.sent(
        "HSET",
        sale.keys().session(there.session()),
        "seen",
        Long.toString(now - 2_000),
        "purchase_ready_at",
        Long.toString(now - 1_000));
    assertThat(sale.status(there)).isEqualTo("ready_to_purchase");
    assertThat(Long.parseLong(sale.session(there, "seen"))).isGreaterThanOrEqualTo(now);
  }

  @Test
  void theFirstPollAfterTheAdmissionCounts() {
    Buyer first = sale.ready();
    Buyer second = sale.buyer();
    assertThat(sale.join(second)).containsExactly("JOINED 0");
    assertThat(sale.admit().at(1).number()).isOne();
    long now = sale.now();
    sale.sent(
        "HSET",
        sale.keys().session(second.session()),
        "seen",
        Long.toString(now - 2_000),
        "admitted_at",
        Long.toString(now - 1_000));
    assertThat(sale.status(second)).isEqualTo("active");
    assertThat(Long.parseLong(sale.session(second, "seen"))).isGreaterThanOrEqualTo(now);
    assertThat(sale.buy(first)).startsWith("RESERVED");
  }

  @Test
  void anAttemptToBuyCountsAsPresence() {
    Buyer there = sale.ready();
    becameReady(there, LONG);
    steadyFor(HOUR);
    SaleScripts.Buy tooMany = new SaleScripts.Buy(there, sale.order(there), 9);
    assertThat(sale.scripts().purchase(List.of(tooMany)).await().textAt(0)).startsWith("QUANTITY");
    assertThat(sale.scripts().expire(10).await().absent()).isZero();
  }

  @Test
  void aTurnThatWasSeenToBeginEndsForAbsenceOnlyIfOthersWaitAndItsPageIsClosed() {
    assertThat(sale.configure("open", "presence_ms", "60000")).isEqualTo("APPLIED");
    Buyer there = sale.ready();
    becameReady(there, HOUR);
    sale.lastSeen(there, Duration.ofSeconds(70));
    steadyFor(HOUR);
    assertThat(sale.scripts().expire(10).await().absent()).as("nobody waits").isZero();
    Buyer next = sale.buyer();
    assertThat(sale.join(next)).containsExactly("JOINED 0");
    sale.lastSeen(there, Duration.ofSeconds(50));
    assertThat(sale.scripts().expire(10).await().absent()).as("fills in a form").isZero();
    sale.lastSeen(there, Duration.ofSeconds(70));
    assertThat(sale.scripts().expire(10).await().absent()).isOne();
    assertThat(sale.session(there, "ended")).isEqualTo("no_show");
    assertThat(sale.admit().texts()).contains(next.session().value());
  }

  @Test
  void anActiveSessionThatWasSeenIsNotSkippedBeforeItsTurn() {
    Buyer first = sale.ready();
    Buyer second = sale.buyer();
    assertThat(sale.join(second)).containsExactly("JOINED 0");
    assertThat(sale.admit().at(1).number()).isOne();
    admittedAndNeverSeen(second, LONG.multipliedBy(4));
    sale.lastSeen(second, LONG);
    steadyFor(HOUR);
    assertThat(sale.buy(first)).startsWith("RESERVED");
    assertThat(sale.admit().texts()).contains(second.session().value());
  }

  @Test
  void nobodyIsPassedOverWhileTheServiceCannotBeReached() {
    Buyer there = sale.ready();
    becameReady(there, LONG);
    steadyFor(Duration.ofSeconds(3));
    assertThat(sale.scripts().expire(10).await().absent()).isZero();
    // Nobody asked for six seconds.
    sale.sent("HSET", sale.keys().sale(), "contact_at", Long.toString(sale.now() - 6_000));
    sale.sent("HSET", sale.keys().sale(), "steady_since", "0");
    assertThat(sale.scripts().expire(10).await().absent()).isZero();
  }

  /// Closed tabs kept a unit from the waiting list, a whole window each, while nobody else was in
  /// the queue. Browsers on other pages show that the service can be reached.
  @Test
  void aPersonOfTheWaitingListWaitsAndAnyBrowserShowsThatTheServiceCanBeReached() {
    assertThat(sale.configure("open", "presence_ms", "60000")).isEqualTo("APPLIED");
    Buyer gone = sale.ready();
    becameReady(gone, HOUR);
    sale.sent("HSET", sale.keys().sale(), "contact_at", "1");
    assertThat(sale.scripts().expire(10, true).await().absent()).isZero();
    assertThat(sale.sale("contact_at")).as("nobody is on the list").isEqualTo("1");
    String later = Long.toString(sale.now() + 1);
    sale.sent("HSET", sale.keys().sale(), "list_from", later, "list_units", "1");
    assertThat(sale.scripts().expire(10, false).await().absent()).isZero();
    assertThat(sale.sale("contact_at")).as("nobody reaches the service").isEqualTo("1");
    assertThat(sale.scripts().expire(10, true).await().absent()).as("after an outage").isZero();
    assertThat(Long.parseLong(sale.sale("contact_at"))).isGreaterThan(1);
    steadyFor(Duration.ofSeconds(19));
    assertThat(sale.scripts().expire(10, true).await().absent()).isZero();
    steadyFor(LONG);
    assertThat(sale.scripts().expire(10, true).await().absent()).isOne();
    assertThat(sale.session(gone, "ended")).isEqualTo("no_show");
  }

  @Test
  void aTurnThatNobodySawEndsByThePresenceTimeoutWhereBrowsersAskSeldom() {
    assertThat(sale.configure("open", "presence_ms", "60000")).isEqualTo("APPLIED");
    Buyer gone = sale.ready();
    becameReady(gone, HOUR);
    String now = Long.toString(sale.now());
    sale.reachableFor(Duration.ofSeconds(61));
    sale.sent("HSET", sale.keys().sale(), "steady_since", now);
    assertThat(sale.scripts().expire(10).await().absent()).as("nobody waits").isZero();
    sale.sent("HSET", sale.keys().sale(), "list_from", now, "list_units", "1");
    assertThat(sale.scripts().expire(10).await().absent()).isOne();
  }

  @Test
  void activeSessionsThatNeverAskedAreSkippedAtOnce() {
    List<Buyer> fakes = sale.buyers(24);
    assertThat(sale.join(fakes)).allMatch(reply -> reply.startsWith("JOINED"));
    assertThat(sale.admit().at(1).number()).isEqualTo(24);
    Buyer honest = sale.buyer();
    assertThat(sale.join(honest)).containsExactly("JOINED 0");
    fakes.forEach(fake -> admittedAndNeverSeen(fake, LONG));
    becameReady(fakes.getFirst(), LONG);
    steadyFor(HOUR);
    assertThat(sale.scripts().expire(250).await().absent()).isOne();
    long skipped = 0;
    RedisReply pass;
    do {
      pass = sale.admit();
      skipped += pass.at(2).number();
    } while (pass.at(3).number() == 1);
    assertThat(skipped).isEqualTo(23);
    assertThat(sale.status(honest)).isEqualTo("ready_to_purchase");
  }

  @Test
  void anActiveSessionHasTheWholeTimeFromItsAdmissionOn() {
    Buyer first = sale.ready();
    Buyer second = sale.buyer();
    assertThat(sale.join(second)).containsExactly("JOINED 0");
    assertThat(sale.admit().at(1).number()).isOne();
    // Far back in the line it asked seldom.
    sale.lastSeen(second, Duration.ofSeconds(45));
    steadyFor(HOUR);
    assertThat(sale.buy(first)).startsWith("RESERVED");
    assertThat(sale.admit().texts()).contains(second.session().value());
  }

  @Test
  void manyWhoWereThereAndAreMissingAtTheSameTimeHaveTwiceTheTime() {
    List<Buyer> people = sale.buyers(10);
    assertThat(sale.join(people)).allMatch(reply -> reply.startsWith("JOINED"));
    assertThat(sale.configure("open", "slots", "10")).isEqualTo("APPLIED");
    assertThat(sale.admitReady()).hasSize(10);
    for (Buyer one : people) {
      becameReady(one, LONG);
      sale.sent("HSET", sale.keys().session(one.session()), "verified_at", "1");
    }
    steadyFor(HOUR);
    assertThat(sale.scripts().expire(250).await().absent()).isZero();
    people.forEach(one -> becameReady(one, LONG.multipliedBy(2)));
    steadyFor(HOUR);
    assertThat(sale.scripts().expire(250).await().absent()).isEqualTo(10);
  }

  @Test
  void aMissedTurnStartsAPauseThatGrows() {
    Buyer buyer = sale.ready();
    String device = buyer.device();
    long longest = 0;
    for (int turn = 1; turn <= 3; turn++) {
      sale.windowPasses(buyer);
      assertThat(sale.scripts().expire(10).await().missed()).isOne();
      String[] reply = sale.join(sale.buyer(device, "")).getFirst().split(" ", -1);
      assertThat(reply[0]).isEqualTo("COOLDOWN");
      assertThat(reply[2]).isEqualTo("missed");
      long pause = Long.parseLong(reply[1]);
      long expected = 60_000L << (turn - 1);
      assertThat(pause).isBetween(expected - 20_000, expected);
      assertThat(pause).isGreaterThan(longest);
      longest = pause;
      sale.sent("DEL", sale.keys().userCooldown(device), sale.keys().deviceCooldown(device));
      buyer = sale.ready(sale.buyer(device, ""));
    }
  }

  @Test
  void withoutACooldownThereAreNoPauses() {
    SaleWorld free = SaleWorld.open(10, "cooldown_s", "0");
    Buyer buyer = free.ready();
    free.windowPasses(buyer);
    assertThat(free.scripts().expire(10).await().missed()).isOne();
    assertThat(free.join(free.buyer(buyer.device(), ""))).containsExactly("JOINED 0");
  }

  private void steadyFor(Duration time) {
    sale.reachableFor(time);
    sale.sent(
        "HSET", sale.keys().sale(), "steady_since", Long.toString(sale.now() - time.toMillis()));
  }

  private void becameReady(Buyer buyer, Duration ago) {
    String at = Long.toString(sale.now() - ago.toMillis());
    sale.sent("HSET", sale.keys().session(buyer.session()), "purchase_ready_at", at);
    sale.lastSeen(buyer, ago.plusSeconds(10));
  }

  private void admittedAndNeverSeen(Buyer buyer, Duration ago) {
    String at = Long.toString(sale.now() - ago.toMillis());
    String session = buyer.session().value();
    sale.sent("ZADD", sale.keys().active(), "XX", at, session);
    sale.sent("HSET", sale.keys().session(buyer.session()), "seen", at, "verified_at", at);
  }
}
