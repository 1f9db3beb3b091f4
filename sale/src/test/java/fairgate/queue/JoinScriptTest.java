package fairgate.queue;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import fairgate.Buyer;
import fairgate.SaleScripts.Join;
import fairgate.SaleWorld;
import fairgate.kernel.ChallengeResult.SingleUse;
import fairgate.platform.redis.RedisFailure;
import io.vertx.core.Future;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

final class JoinScriptTest {
  private static final Duration DAY = Duration.ofDays(1);

  private final SaleWorld world = SaleWorld.open(10);
  private final JoinScript script = new JoinScript(world.redis());

  private Future<JoinOutcome> call(SaleWorld in, Buyer buyer, @Nullable SingleUse once) {
    String account = buyer.account().isEmpty() ? null : buyer.account();
    return script.run(
        in.keys(),
        script.shared(in.keys()),
        new JoinScript.Join(buyer.session(), null, buyer.device(), account, once, List.of(), 0));
  }

  private JoinOutcome join(Buyer buyer) {
    return call(world, buyer, null).await();
  }

  private static List<String> waiting(SaleWorld in) {
    return in.send("ZRANGE", in.keys().waiting(), "0", "-1").texts();
  }

  private static List<String> ids(List<Buyer> buyers) {
    return buyers.stream().map(b -> b.session().value()).toList();
  }

  /// The outcome, after making sure that it left everything as it was.
  private JoinOutcome changesNothing(SaleWorld in, Buyer buyer, @Nullable SingleUse once) {
    Map<String, String> before = in.dump();
    JoinOutcome outcome = call(in, buyer, once).await();
    assertThat(in.dump()).isEqualTo(before);
    return outcome;
  }

  @Test
  void whoComesFirstStandsFirst() {
    Buyer first = world.buyer();
    Buyer second = world.buyer();
    assertThat(join(first)).isEqualTo(new JoinOutcome.Joined(first.session(), 0, DAY));
    assertThat(join(second)).isEqualTo(new JoinOutcome.Joined(second.session(), 1, DAY));
    assertThat(world.sale("joined")).isEqualTo("2");
  }

  @Test
  void aPlaceLooksInRedisAsTheDataModelSays() {
    Buyer buyer = world.buyer();
    long before = world.now();
    assertThat(join(buyer)).isInstanceOf(JoinOutcome.Joined.class);
    String id = buyer.session().value();
    String product = world.product().value();
    String session = "session:" + id;
    assertThat(world.send("TYPE", session).text()).isEqualTo("hash");
    assertThat(String.join(" ", new TreeSet<>(world.send("HKEYS", session).texts())))
        .isEqualTo(
            "device product_id queue_position_active queue_position_waiting queue_status seen"
                + " turnstile_verified verified_at");
    assertThat(
            world
                .send(
                    "HMGET",
                    session,
                    "turnstile_verified",
                    "queue_position_waiting",
                    "queue_position_active",
                    "queue_status",
                    "product_id",
                    "device")
                .texts())
        .containsExactly("true", "0", "-1", "waiting", product, buyer.device());
    assertThat(Long.parseLong(world.session(buyer, "verified_at"))).isBetween(before, world.now());
    assertThat(world.send("TTL", session).number()).isBetween(86_300L, 86_400L);
    String queue = "queue:waiting:product:" + product;
    assertThat(world.send("TYPE", queue).text()).isEqualTo("zset");
    assertThat(Double.parseDouble(world.send("ZSCORE", queue, id).text()))
        .isBetween((double) before, world.now() + 1.0);
    assertThat(world.send("TTL", queue).number()).isEqualTo(-1);
    assertThat(world.send("HGET", "queue:devices:product:" + product, buyer.device()).text())
        .isEqualTo(id);
  }

  @Test
  void aDeviceHasOneLivePlace() {
    Buyer buyer = world.buyer();
    assertThat(join(buyer)).isInstanceOf(JoinOutcome.Joined.class);
    Buyer again = world.buyer(buyer.device(), "");
    assertThat(changesNothing(world, again, null))
        .isEqualTo(new JoinOutcome.AlreadyInQueue(buyer.session(), DAY));
  }

  @Test
  void aDeviceHasOneLivePlaceInsideOneBatch() {
    Buyer buyer = world.buyer();
    Buyer again = world.buyer(buyer.device(), "");
    assertThat(world.join(buyer, again)).containsExactly("JOINED 0", "ALREADY " + buyer.session());
    assertThat(waiting(world)).containsExactly(buyer.session().value());
  }

  @Test
  void aRepeatOfTheSameCallFindsThePlaceItMade() {
    Buyer buyer = world.buyer();
    assertThat(join(buyer)).isInstanceOf(JoinOutcome.Joined.class);
    assertThat(changesNothing(world, buyer, null))
        .isEqualTo(new JoinOutcome.AlreadyInQueue(buyer.session(), DAY));
  }

  @Test
  void aNamedSessionWithALivePlaceIsFoundFromAnotherDevice() {
    Buyer buyer = world.buyer();
    assertThat(join(buyer)).isInstanceOf(JoinOutcome.Joined.class);
    Join other = new Join(world.buyer(), buyer.session().value(), "");
    assertThat(world.scripts().join(List.of(other)).await().textAt(0))
        .isEqualTo("ALREADY " + buyer.session());
  }

  @Test
  void aNamedSessionThatNoQueueHoldsAnyMoreDoesNotBar() {
    Buyer lost = world.buyer();
    assertThat(join(lost)).isInstanceOf(JoinOutcome.Joined.class);
    world.sent("ZREM", world.keys().waiting(), lost.session().value());
    Join again = new Join(world.buyer(lost.device(), ""), lost.session().value(), "");
    assertThat(world.scripts().join(List.of(again)).await().textAt(0)).isEqualTo("JOINED 0");
  }

  @Test
  void aPlaceWhoseSessionIsGoneIsNoPlace() {
    for (String queue : List.of("waiting", "ready")) {
      SaleWorld sale = SaleWorld.open(10);
      Buyer buyer = sale.buyer("phone-of-" + queue, "account");
      assertThat(sale.join(buyer)).containsExactly("JOINED 0");
      if (queue.equals("ready")) {
        assertThat(sale.admit().texts()).contains(buyer.session().value());
      }
      sale.sent("DEL", sale.keys().session(buyer.session()));
      Buyer samePhone = sale.buyer(buyer.device(), "");
      Buyer sameAccount = sale.buyer("laptop-of-" + queue, "account");
      assertThat(sale.join(samePhone, sameAccount)).containsExactly("JOINED 0", "JOINED 1");
      assertThat(waiting(sale)).isEqualTo(ids(List.of(samePhone, sameAccount)));
      assertThat(sale.send("ZCARD", sale.keys().active()).number()).isZero();
      assertThat(sale.send("ZCARD", sale.keys().ready()).number()).isZero();
    }
  }

  @Test
  void aSessionOutlivesTheLastPlannedBatch() {
    long last = world.now() + Duration.ofDays(20).toMillis();
    SaleWorld sale = SaleWorld.in("open", 1, "last_batch_at " + last);
    assertThat(call(sale, sale.buyer(), null).await())
        .isInstanceOfSatisfying(
            JoinOutcome.Joined.class,
            joined ->
                assertThat(joined.life()).isBetween(Duration.ofDays(20), Duration.ofDays(22)));
  }

  @Test
  void aSessionOutlivesASaleThatIsAnnouncedAMonthAhead() {
    long opens = world.now() + Duration.ofDays(30).toMillis();
    long closes = opens + Duration.ofDays(2).toMillis();
    SaleWorld sale = SaleWorld.in("scheduled", 0, "opens_at " + opens + " closes_at " + closes);
    Buyer buyer = sale.buyer();
    JoinOutcome outcome = call(sale, buyer, null).await();
    assertThat(outcome)
        .isInstanceOfSatisfying(
            JoinOutcome.Joined.class,
            joined ->
                assertThat(joined.life()).isBetween(Duration.ofDays(32), Duration.ofDays(33)));
    assertThat(sale.send("PEXPIRETIME", sale.keys().session(buyer.session())).number())
        .isEqualTo(closes + DAY.toMillis());
  }

  @Test
  void aPlaceThatEndedDoesNotBar() {
    Buyer buyer = world.buyer();
    assertThat(join(buyer)).isInstanceOf(JoinOutcome.Joined.class);
    assertThat(world.scripts().leave(buyer).await().text()).startsWith("LEFT");
    Join again = new Join(world.buyer(buyer.device(), ""), buyer.session().value(), "");
    assertThat(world.scripts().join(List.of(again)).await().textAt(0)).isEqualTo("JOINED 0");
  }

  @Test
  void whoHasAsManyUnitsAsAllowedIsRefused() {
    SaleWorld strict = SaleWorld.open(5, "max_user 2 max_device 3 bought 1");
    Buyer user = strict.buyer("one", "account");
    strict.sent("SET", strict.keys().userBought("account"), "2");
    assertThat(changesNothing(strict, user, null)).isEqualTo(new JoinOutcome.LimitReached());
    Buyer device = strict.buyer("two", "other");
    strict.sent("SET", strict.keys().deviceBought(device.device()), "3");
    assertThat(changesNothing(strict, device, null)).isEqualTo(new JoinOutcome.LimitReached());
    strict.sent("SET", strict.keys().deviceBought(device.device()), "2");
    assertThat(call(strict, device, null).await()).isInstanceOf(JoinOutcome.Joined.class);
  }

  @Test
  void afterAnUnpaidReservationJoiningIsBarredForAWhile() {
    Buyer device = world.buyer();
    world.sent("HSET", world.keys().sale(), "bought", "1");
    world.sent("SET", world.keys().deviceCooldown(device.device()), "1", "PX", "50000");
    assertThat(changesNothing(world, device, null))
        .isInstanceOfSatisfying(
            JoinOutcome.CoolingDown.class,
            cooling ->
                assertThat(cooling.retryAfter())
                    .isBetween(Duration.ofSeconds(10), Duration.ofSeconds(50)));
    world.sent("DEL", world.keys().deviceCooldown(device.device()));
    assertThat(join(device)).isInstanceOf(JoinOutcome.Joined.class);
  }

  @Test
  void anAccountThatCoolsDownIsBarredOnEveryDevice() {
    Buyer buyer = world.buyer("fresh", "account");
    world.sent("HSET", world.keys().sale(), "bought", "1");
    world.sent("SET", world.keys().userCooldown("account"), "1", "PX", "50000");
    assertThat(changesNothing(world, buyer, null)).isInstanceOf(JoinOutcome.CoolingDown.class);
  }

  @Test
  void aChallengeIsSpentOnce() {
    SingleUse once = new SingleUse("nonce-" + world.product(), Duration.ofSeconds(60));
    assertThat(call(world, world.buyer(), once).await()).isInstanceOf(JoinOutcome.Joined.class);
    assertThat(world.send("PTTL", world.keys().challenge(once.nonce())).number())
        .isBetween(50_000L, 60_000L);
    assertThat(changesNothing(world, world.buyer(), once))
        .isEqualTo(new JoinOutcome.ChallengeRefused());
  }

  @Test
  void whoIsRefusedKeepsTheChallenge() {
    Buyer buyer = world.buyer();
    assertThat(join(buyer)).isInstanceOf(JoinOutcome.Joined.class);
    SingleUse once = new SingleUse("kept-" + world.product(), Duration.ofSeconds(60));
    assertThat(changesNothing(world, world.buyer(buyer.device(), ""), once))
        .isInstanceOf(JoinOutcome.AlreadyInQueue.class);
    assertThat(call(world, world.buyer(), once).await()).isInstanceOf(JoinOutcome.Joined.class);
  }

  @Test
  void nobodyJoinsASaleThatIsOver() {
    SaleWorld closed = SaleWorld.in("closed", 1);
    assertThat(changesNothing(closed, closed.buyer(), null))
        .isEqualTo(new JoinOutcome.SaleClosed());
    SaleWorld timed = SaleWorld.open(1, "closes_at " + (world.now() - 1));
    assertThat(changesNothing(timed, timed.buyer(), null)).isEqualTo(new JoinOutcome.SaleClosed());
  }

  @Test
  void whileJoinsAreStoppedOnlyThosePlacedAlreadyGetAReply() {
    SaleWorld sale = SaleWorld.open(10, "joins", "stopped");
    assertThat(changesNothing(sale, sale.buyer(), null)).isEqualTo(new JoinOutcome.JoinsStopped());
  }

  @Test
  void nobodyJoinsASaleThereIsNot() {
    SaleWorld none = SaleWorld.unknown();
    assertThat(changesNothing(none, none.buyer(), null)).isEqualTo(new JoinOutcome.NoSuchProduct());
  }

  @Test
  void oneMayWaitForASaleThatHasNotBegunOrIsPaused() {
    for (String state : List.of("scheduled", "paused")) {
      SaleWorld sale = SaleWorld.in(state, 1);
      assertThat(call(sale, sale.buyer(), null).await()).isInstanceOf(JoinOutcome.Joined.class);
    }
  }

  @Test
  void arrivalOrderInsideOneBatchAndOneMillisecondIsKept() {
    List<Buyer> all = new ArrayList<>();
    for (int batch = 0; batch < 8; batch++) {
      List<Buyer> some = world.buyers(128);
      assertThat(world.join(some)).allMatch(reply -> reply.startsWith("JOINED"));
      all.addAll(some);
    }
    assertThat(waiting(world)).isEqualTo(ids(all));
  }

  @Test
  void arrivalOrderIsKeptWhileTheClockStandsStill() {
    world.sent("HSET", world.keys().sale(), "last_join", (world.now() + 3_600_000) + ".998");
    List<Buyer> all = new ArrayList<>();
    for (int run = 0; run < 40; run++) {
      List<Buyer> some = world.buyers(1 + run % 5);
      assertThat(world.join(some)).allMatch(reply -> reply.startsWith("JOINED"));
      all.addAll(some);
    }
    assertThat(waiting(world)).isEqualTo(ids(all));
  }

  @Test
  void callsOfManyThreadsAllGetAPlaceOfTheirOwn() {
    List<Buyer> buyers = world.buyers(500);
    List<JoinOutcome> outcomes =
        Future.all(buyers.stream().map(b -> call(world, b, null)).toList())
            .map(done -> done.<JoinOutcome>list())
            .await();
    List<Integer> positions = new ArrayList<>();
    for (JoinOutcome outcome : outcomes) {
      positions.add(((JoinOutcome.Joined) outcome).position());
    }
    assertThat(positions).doesNotHaveDuplicates().hasSize(500);
    assertThat(waiting(world)).containsExactlyInAnyOrderElementsOf(ids(buyers));
  }

  @Test
  void aKeyOfTheWrongTypePoisonsOnlyItsOwnItem() {
    List<Buyer> buyers = world.buyers(3);
    Buyer poisoned = buyers.get(1);
    world.sent("RPUSH", world.keys().session(poisoned.session()), "x");
    Map<String, String> before = world.dump();
    List<String> replies = world.join(buyers);
    assertThat(replies.get(0)).isEqualTo("JOINED 0");
    assertThat(replies.get(1)).startsWith("FAULT");
    assertThat(replies.get(2)).isEqualTo("JOINED 1");
    assertThat(world.dump()).hasSizeGreaterThan(before.size());
    assertThat(waiting(world)).doesNotContain(poisoned.session().value());
    assertThatThrownBy(() -> join(poisoned)).isInstanceOf(RedisFailure.class);
  }

  @Test
  void aSessionKeyOfTheWrongTypeLeavesNoPlaceBehind() {
    Buyer poisoned = world.buyer();
    world.sent("SET", world.keys().session(poisoned.session()), "x");
    Map<String, String> before = world.dump();
    assertThat(world.join(poisoned)).singleElement().asString().startsWith("FAULT");
    assertThat(world.dump()).isEqualTo(before);
  }
}
