package fairgate.queue;

import static org.assertj.core.api.Assertions.assertThat;

import fairgate.Buyer;
import fairgate.SaleWorld;
import fairgate.catalog.SaleKeys;
import fairgate.platform.redis.LuaScript;
import fairgate.platform.redis.RedisReply;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("slow")
final class ExpireScriptTest {
  private final SaleWorld world = SaleWorld.open(10, "slots 3");

  private ExpireScript.Run expire(int max) {
    return new ExpireScript(world.redis(), max).run(world.keys(), false, true).await();
  }

  private void assertEnded(Buyer buyer, String why) {
    assertThat(world.session(buyer, "queue_status")).isEqualTo("expired");
    assertThat(world.session(buyer, "ended")).isEqualTo(why);
    assertThat(world.session(buyer, "queue_position_active")).isEqualTo("-1");
    assertThat(world.session(buyer, "queue_position_waiting")).isEqualTo("-1");
    assertThat(world.send("HEXISTS", world.keys().devices(), buyer.device()).number()).isZero();
    assertThat(world.send("EXISTS", world.keys().lock(buyer.session())).number()).isZero();
    assertThat(world.send("TTL", world.keys().session(buyer.session())).number()).isPositive();
  }

  @Test
  void aMissedWindowEndsThePlaceAndTheNextComes() {
    List<Buyer> all = world.buyers(4);
    assertThat(world.join(all)).hasSize(4);
    assertThat(world.admitReady()).hasSize(3);
    world.windowPasses(all.get(1));
    assertThat(ended(expire(10))).isEqualTo("1 0 false");
    assertEnded(all.get(1), "window");
    assertThat(world.sale("missed")).isEqualTo("1");
    assertThat(world.admit().texts().getLast()).isEqualTo(all.get(3).session().value());
    assertThat(world.status(all.get(0))).isEqualTo("ready_to_purchase");
  }

  @Test
  void aRepeatEndsNothingTwice() {
    Buyer buyer = world.ready();
    world.windowPasses(buyer);
    assertThat(expire(10).missed()).isEqualTo(1);
    Map<String, String> before = world.dump();
    assertThat(ended(expire(10))).isEqualTo("0 0 false");
    assertThat(world.dump()).isEqualTo(before);
  }

  @Test
  void aRunningWindowIsLeftAlone() {
    Buyer buyer = world.ready();
    Map<String, String> before = world.dump();
    assertThat(ended(expire(10))).isEqualTo("0 0 false");
    assertThat(world.dump()).isEqualTo(before);
    assertThat(world.status(buyer)).isEqualTo("ready_to_purchase");
  }

  @Test
  void windowsStandStillWhileTheSaleIsPaused() {
    Buyer buyer = world.ready();
    world.windowPasses(buyer);
    assertThat(world.configure("paused")).isEqualTo("APPLIED");
    assertThat(ended(expire(10))).isEqualTo("0 0 false");
    assertThat(world.configure("open")).isEqualTo("APPLIED");
    assertThat(expire(10).missed()).isEqualTo(1);
  }

  @Test
  void anOutageCostsNobodyTheirTurn() {
    Buyer buyer = world.ready();
    Buyer next = world.ready();
    world.windowPasses(buyer);
    world.windowPasses(next);
    world.lastPass(Duration.ofDays(2));
    assertThat(world.buy(buyer)).as("before the first pass").startsWith("RESERVED");
    assertThat(expire(10).missed()).isZero();
    assertThat(world.buy(next)).startsWith("RESERVED");
    long paused = Long.parseLong(world.sale("paused_ms"));
    assertThat(Duration.ofMillis(paused)).isBetween(Duration.ofDays(2), Duration.ofDays(3));
    assertThat(expire(10).missed()).isZero();
    assertThat(world.sale("paused_ms")).as("counted once").isEqualTo(Long.toString(paused));
  }

  @Test
  void paymentTimeStandsStillInAnOutageForAtMostOnePaymentWindow() {
    for (long paymentMs : new long[] {60_000, 600_000_000}) {
      assertThat(world.configure("open", "payment_ms " + paymentMs)).isEqualTo("APPLIED");
      world.lastPass(Duration.ofDays(2));
      world.sent("HSET", world.keys().sale(), "pay_paused_ms", "5");
      assertThat(expire(10).missed()).isZero();
      long outage = Math.min(paymentMs, Duration.ofDays(2).toMillis());
      assertThat(Long.parseLong(world.sale("pay_paused_ms")))
          .isBetween(5 + outage, 5 + outage + 60_000);
      assertThat(expire(10).missed()).isZero();
      assertThat(Long.parseLong(world.sale("pay_paused_ms")))
          .as("counted once")
          .isLessThanOrEqualTo(5 + outage + 60_000);
    }
  }

  @Test
  void aLatePassIsNoOutage() {
    Buyer buyer = world.ready();
    world.windowPasses(buyer);
    world.lastPass(Duration.ofMillis(1_500));
    assertThat(expire(10).missed()).isEqualTo(1);
    assertEnded(buyer, "window");
  }

  @Test
  void aPauseIsNotCountedAsAnOutageAsWell() {
    world.lastPass(Duration.ofDays(2));
    assertThat(world.configure("paused")).isEqualTo("APPLIED");
    assertThat(world.configure("open")).isEqualTo("APPLIED");
    Buyer buyer = world.ready();
    assertThat(expire(10).missed()).isZero();
    assertThat(Duration.ofMillis(Long.parseLong(world.sale("paused_ms"))))
        .isBetween(Duration.ofDays(2), Duration.ofDays(3));
    world.windowPasses(buyer);
    world.sent("HSET", world.keys().sale(), "paused_ms", "0");
    assertThat(expire(10).missed()).isEqualTo(1);
  }

  @Test
  void aRealWindowEndsByItself() {
    SaleWorld quick = SaleWorld.open(1, "window_ms 5000");
    Buyer buyer = quick.ready();
    assertThat(quick.scripts().expire(10).await().missed()).isZero();
    SaleWorld.await(() -> quick.scripts().expire(10).await().missed() == 1);
    assertThat(quick.session(buyer, "ended")).isEqualTo("window");
    assertThat(quick.now())
        .isGreaterThanOrEqualTo(Long.parseLong(quick.session(buyer, "purchase_timeout_at")));
  }

  @Test
  void manyMissedWindowsEndInBoundedRuns() {
    List<Buyer> all = world.buyers(3);
    assertThat(world.join(all)).hasSize(3);
    assertThat(world.admitReady()).hasSize(3);
    all.forEach(world::windowPasses);
    assertThat(ended(expire(2))).isEqualTo("2 0 true");
    assertThat(ended(expire(2))).isEqualTo("1 0 false");
  }

  @Test
  void salesThatShareARunShareItsLimitAndDoNotDisturbEachOther() {
    SaleWorld broken = SaleWorld.open(3);
    SaleWorld other = SaleWorld.open(10, "slots 3");
    List<Buyer> here = world.buyers(2);
    List<Buyer> there = other.buyers(2);
    assertThat(world.join(here)).hasSize(2);
    assertThat(other.join(there)).hasSize(2);
    assertThat(world.admitReady()).hasSize(2);
    assertThat(other.admitReady()).hasSize(2);
    here.forEach(world::windowPasses);
    there.forEach(other::windowPasses);
    broken.sent("SET", broken.keys().waiting(), "a text");
    List<String> keys = new ArrayList<>();
    List<String> args = new ArrayList<>(List.of("3"));
    for (SaleKeys sale : List.of(world.keys(), broken.keys(), other.keys())) {
      keys.addAll(
          List.of(sale.sale(), sale.waiting(), sale.active(), sale.ready(), sale.devices()));
      args.addAll(List.of(sale.sessionPrefix(), sale.lockPrefix(), "0", "1"));
    }
    LuaScript script = LuaScript.load(ExpireScript.class, "expire.lua");
    RedisReply replies = world.redis().run(script, keys, args).await();
    assertThat(ended(ExpireScript.Run.parse(replies.textAt(0)))).isEqualTo("2 0 false");
    assertThat(replies.textAt(1)).startsWith("FAULT");
    assertThat(ended(ExpireScript.Run.parse(replies.textAt(2)))).isEqualTo("1 0 true");
    assertThat(ended(new ExpireScript(other.redis()).run(other.keys(), false, true).await()))
        .isEqualTo("1 0 false");
    there.forEach(buyer -> assertThat(other.session(buyer, "ended")).isEqualTo("window"));
  }

  @Test
  void closingEndsAllPlacesInBoundedRuns() {
    assertThat(world.configure("open", "capacity 4", "slots 2")).isEqualTo("APPLIED");
    List<Buyer> all = world.buyers(7);
    assertThat(world.join(all)).hasSize(7);
    assertThat(world.admit().at(1).number()).isEqualTo(4);
    assertThat(world.configure("closed")).isEqualTo("APPLIED");
    assertThat(ended(expire(3))).isEqualTo("0 3 true");
    assertThat(ended(expire(3))).isEqualTo("0 3 true");
    assertThat(ended(expire(3))).isEqualTo("0 1 false");
    all.forEach(buyer -> assertEnded(buyer, "closed"));
    for (String queue :
        List.of(world.keys().waiting(), world.keys().active(), world.keys().ready())) {
      assertThat(world.send("EXISTS", queue).number()).isZero();
    }
  }

  @Test
  void closesAtEndsAllPlacesButThoseWhoseWindowRuns() {
    assertThat(world.configure("open", "capacity 4", "slots 2")).isEqualTo("APPLIED");
    List<Buyer> all = world.buyers(7);
    assertThat(world.join(all)).hasSize(7);
    assertThat(world.admit().at(1).number()).isEqualTo(4);
    assertThat(world.configure("open", "closes_at " + world.now())).isEqualTo("APPLIED");
    assertThat(ended(expire(3))).isEqualTo("0 3 true");
    assertThat(ended(expire(3))).isEqualTo("0 2 false");
    all.subList(2, 7).forEach(buyer -> assertEnded(buyer, "closed"));
    all.subList(0, 2).forEach(world::windowPasses);
    assertThat(ended(expire(3))).isEqualTo("2 0 false");
    all.subList(0, 2).forEach(buyer -> assertEnded(buyer, "window"));
  }

  @Test
  void closingLeavesBuyersWithWhatTheyBought() {
    Buyer buyer = world.ready();
    assertThat(world.buy(buyer)).startsWith("RESERVED");
    assertThat(world.configure("closed")).isEqualTo("APPLIED");
    assertThat(ended(expire(10))).isEqualTo("0 0 false");
    assertThat(world.status(buyer)).isEqualTo("purchased");
  }

  @Test
  void aSessionThatIsGoneComesNotBackWithoutAnEnd() {
    Buyer buyer = world.ready();
    world.windowPasses(buyer);
    world.sent("DEL", world.keys().session(buyer.session()));
    assertThat(expire(10).missed()).isEqualTo(1);
    assertThat(world.send("EXISTS", world.keys().session(buyer.session())).number()).isZero();
  }

  @Test
  void nothingEndsInASaleThereIsNot() {
    SaleWorld none = SaleWorld.unknown();
    assertThat(new ExpireScript(none.redis()).run(none.keys(), false, true).await())
        .isEqualTo(new ExpireScript.Run(0, 0, false, "unknown", 0, -1, 0));
    assertThat(none.dump()).isEmpty();
  }

  @Test
  void thePlacesLeftAndTheNextChangeOfTheStateAreTold() {
    assertThat(expire(10).places()).isZero();
    assertThat(world.join(world.buyers(3))).hasSize(3);
    assertThat(expire(10).places()).isEqualTo(3);
    assertThat(expire(10).untilChange()).isEqualTo(-1);
    String soon = Long.toString(world.now() + 60_000);
    assertThat(world.configure("open", "closes_at " + soon)).isEqualTo("APPLIED");
    assertThat(expire(10).untilChange()).isBetween(1L, 60_000L);
    assertThat(world.configure("scheduled", "opens_at " + soon, "closes_at 0"))
        .isEqualTo("APPLIED");
    assertThat(expire(10).saleState()).isEqualTo("scheduled");
    assertThat(expire(10).untilChange()).isBetween(1L, 60_000L);
  }

  private static String ended(ExpireScript.Run run) {
    return run.missed() + " " + run.closed() + " " + run.more();
  }
}
