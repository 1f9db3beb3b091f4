package fairgate.queue;

import static org.assertj.core.api.Assertions.assertThat;

import fairgate.Buyer;
import fairgate.SaleScripts;
import fairgate.SaleWorld;
import fairgate.platform.redis.RedisReply;
import io.vertx.core.Future;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

final class AdmitScriptTest {
  private final SaleWorld world = SaleWorld.open(10, "capacity 5", "slots 2");
  private final AdmitScript script = new AdmitScript(world.redis());

  private AdmitScript.Pass admit(SaleWorld in, int max) {
    return script.run(in.keys(), max).await();
  }

  private static List<String> ids(List<Buyer> buyers) {
    return buyers.stream().map(b -> b.session().value()).toList();
  }

  private static List<String> range(SaleWorld in, String key) {
    return in.send("ZRANGE", key, "0", "-1").texts();
  }

  private static List<Buyer> joined(SaleWorld in, int count) {
    List<Buyer> all = new ArrayList<>();
    while (all.size() < count) {
      List<Buyer> some = in.buyers(Math.min(128, count - all.size()));
      assertThat(in.join(some)).allMatch(reply -> reply.startsWith("JOINED"));
      all.addAll(some);
    }
    return all;
  }

  private void nobodyMoves(SaleWorld in, String state) {
    Map<String, String> before = in.dump();
    assertThat(admit(in, 10))
        .isEqualTo(
            new AdmitScript.Pass(state, 0, 0, false, 0, List.of(), false, List.of(), List.of()));
    assertThat(in.dump()).isEqualTo(before);
  }

  @Test
  void thoseWhoCameFirstAreAdmittedFirstAndTheForemostMayBuy() {
    List<Buyer> all = joined(world, 8);
    AdmitScript.Pass pass = admit(world, 250);
    assertThat(pass.admitted()).isEqualTo(5);
    assertThat(pass.waits()).hasSize(5).allMatch(millis -> millis >= 0 && millis < 3_600_000);
    assertThat(pass.ready()).extracting(s -> s.value()).isEqualTo(ids(all.subList(0, 2)));
    assertThat(range(world, world.keys().active())).isEqualTo(ids(all.subList(0, 5)));
    assertThat(range(world, world.keys().waiting())).isEqualTo(ids(all.subList(5, 8)));
    assertThat(pass.more()).isFalse();
    nobodyMoves(world, "open");
  }

  @Test
  void aReadySlotLooksInRedisAsTheDataModelSays() {
    long before = world.now();
    Buyer buyer = joined(world, 1).getFirst();
    assertThat(admit(world, 250).ready()).containsExactly(buyer.session());
    String id = buyer.session().value();
    assertThat(world.session(buyer, "queue_status")).isEqualTo("ready_to_purchase");
    assertThat(world.session(buyer, "queue_position_waiting")).isEqualTo("-1");
    assertThat(world.session(buyer, "queue_position_active")).isEqualTo("0");
    long readyAt = Long.parseLong(world.session(buyer, "purchase_ready_at"));
    assertThat(readyAt).isBetween(before, world.now());
    String timeoutAt = world.session(buyer, "purchase_timeout_at");
    assertThat(Long.parseLong(timeoutAt)).isEqualTo(readyAt + 300_000);
    assertThat(world.send("TYPE", "purchase:lock:" + id).text()).isEqualTo("string");
    assertThat(world.send("GET", "purchase:lock:" + id).text()).isEqualTo(timeoutAt);
    assertThat(world.send("TTL", "purchase:lock:" + id).number()).isBetween(200L, 300L);
    String active = "queue:active:product:" + world.product();
    assertThat(world.send("TYPE", active).text()).isEqualTo("zset");
    assertThat(world.send("TTL", active).number()).isEqualTo(-1);
    assertThat(Double.parseDouble(world.send("ZSCORE", active, id).text()))
        .isBetween((double) before, world.now() + 1.0);
    assertThat(world.send("TTL", world.keys().session(buyer.session())).number()).isPositive();
  }

  @Test
  void nobodyMovesUnlessTheSaleIsOpen() {
    for (String state : List.of("scheduled", "paused", "closed")) {
      SaleWorld sale = SaleWorld.in("open", 5);
      assertThat(joined(sale, 2)).hasSize(2);
      assertThat(sale.configure(state)).isEqualTo("APPLIED");
      nobodyMoves(sale, state);
    }
    nobodyMoves(SaleWorld.unknown(), "unknown");
  }

  @Test
  void aSaleOpensAndClosesByTheClockOfRedis() {
    SaleWorld sale = SaleWorld.in("scheduled", 5, "opens_at " + (world.now() + 60_000));
    assertThat(joined(sale, 1)).hasSize(1);
    nobodyMoves(sale, "scheduled");
    sale.sent("HSET", sale.keys().sale(), "opens_at", Long.toString(world.now()));
    assertThat(admit(sale, 10).admitted()).isEqualTo(1);
    sale.sent("HSET", sale.keys().sale(), "closes_at", Long.toString(world.now()));
    nobodyMoves(sale, "closed");
  }

  @Test
  void nobodyIsAdmittedWhileThereIsNothingToBuyAndTheNextIsOnceUnitsCome() {
    SaleWorld empty = SaleWorld.open(0);
    assertThat(joined(empty, 2)).hasSize(2);
    nobodyMoves(empty, "open");
    assertThat(empty.scripts().stockBatch(1, 1).await().text()).isEqualTo("APPLIED");
    assertThat(admit(empty, 10).admitted()).isEqualTo(2);
  }

  @Test
  void capacityIsNeverExceededHoweverManyLoopsRun() {
    SaleWorld sale = SaleWorld.open(10, "capacity 40", "slots 7");
    List<Buyer> all = joined(sale, 100);
    List<Future<AdmitScript.Pass>> passes = new ArrayList<>();
    for (int i = 0; i < 20; i++) {
      passes.add(script.run(sale.keys(), 3));
    }
    List<AdmitScript.Pass> done =
        Future.all(passes).map(all20 -> all20.<AdmitScript.Pass>list()).await();
    assertThat(done.stream().mapToInt(AdmitScript.Pass::admitted).sum()).isEqualTo(40);
    assertThat(range(sale, sale.keys().active())).isEqualTo(ids(all.subList(0, 40)));
    assertThat(range(sale, sale.keys().ready()))
        .containsExactlyInAnyOrderElementsOf(ids(all.subList(0, 7)));
    assertThat(sale.send("HGET", sale.keys().sale(), "admitted").text()).isEqualTo("40");
  }

  @Test
  void orderIsKeptThroughOneLongPassWhileTheClockStandsStill() {
    SaleWorld sale = SaleWorld.open(1_000, "capacity 1000", "slots 1000");
    sale.sent("HSET", sale.keys().sale(), "last_active", (world.now() + 3_600_000) + ".998");
    List<Buyer> all = joined(sale, 600);
    AdmitScript.Pass first = admit(sale, 250);
    assertThat(first.ready()).extracting(s -> s.value()).isEqualTo(ids(all.subList(0, 250)));
    assertThat(first.more()).isTrue();
    assertThat(admit(sale, 250).more()).isTrue();
    assertThat(admit(sale, 250).more()).isFalse();
    assertThat(range(sale, sale.keys().active())).isEqualTo(ids(all));
  }

  @Test
  void thereIsNoMoreToDoWhenNobodyWaits() {
    SaleWorld wide = SaleWorld.open(10, "capacity 2000", "slots 2000");
    assertThat(admit(wide, 250).more()).isFalse();
    assertThat(joined(wide, 3)).hasSize(3);
    assertThat(admit(wide, 250))
        .extracting(p -> p.admitted(), p -> p.more())
        .containsExactly(3, false);
  }

  @Test
  void whoWasNotSeenForTooLongIsPassedOver() {
    SaleWorld sale = SaleWorld.open(10, "presence_ms 60000", "capacity 1");
    List<Buyer> all = joined(sale, 300);
    for (Buyer gone : all.subList(0, 299)) {
      sale.lastSeen(gone, Duration.ofSeconds(121));
    }
    sale.reachableFor(Duration.ofSeconds(121));
    int passes = 1;
    AdmitScript.Pass pass = admit(sale, 100);
    while (pass.more()) {
      pass = admit(sale, 100);
      passes++;
    }
    assertThat(passes).as("passes asked for at once").isBetween(2, 5);
    assertThat(pass.ready()).containsExactly(all.getLast().session());
    Buyer gone = all.getFirst();
    assertThat(sale.session(gone, "queue_status")).isEqualTo("expired");
    assertThat(sale.session(gone, "ended")).isEqualTo("presence");
    assertThat(sale.session(gone, "queue_position_waiting")).isEqualTo("-1");
    assertThat(sale.send("HEXISTS", sale.keys().devices(), gone.device()).number()).isZero();
    assertThat(sale.send("TTL", sale.keys().session(gone.session())).number()).isPositive();
  }

  private static void lastSeen(SaleWorld in, List<Buyer> buyers, int secondsAgo) {
    buyers.forEach(buyer -> in.lastSeen(buyer, Duration.ofSeconds(secondsAgo)));
  }

  private static void contact(SaleWorld in, int secondsAgo) {
    String at = Long.toString(in.now() - secondsAgo * 1_000L);
    in.sent("HSET", in.keys().sale(), "contact_at", at);
  }

  @Test
  void anOutageIsNobodysAbsence() {
    SaleWorld sale = SaleWorld.open(60, "presence_ms 60000 capacity 1");
    List<Buyer> all = joined(sale, 60);
    lastSeen(sale, all, 168);
    sale.reachableFor(Duration.ofMinutes(9));
    contact(sale, 168);
    assertThat(admit(sale, 250))
        .extracting(p -> p.passedOver(), p -> p.kept())
        .containsExactly(0, 0);
    // The first one is heard of again: everybody else has the full time from here on.
    assertThat(sale.status(all.getLast())).isEqualTo("waiting");
    assertThat(sale.scripts().leave(all.getFirst()).await().text()).startsWith("LEFT");
    assertThat(admit(sale, 250))
        .extracting(p -> p.admitted(), p -> p.passedOver(), p -> p.kept())
        .containsExactly(1, 0, 0);
    assertThat(range(sale, sale.keys().waiting())).isEqualTo(ids(all.subList(2, 60)));
  }

  @Test
  void anUnusualShareIsKeptForOneMoreTimeout() {
    SaleWorld sale = SaleWorld.open(60, "presence_ms 60000 capacity 4 slots 4");
    List<Buyer> all = joined(sale, 30);
    List<Buyer> third = all.subList(0, 10);
    lastSeen(sale, third, 72);
    sale.reachableFor(Duration.ofMinutes(9));
    assertThat(admit(sale, 250))
        .extracting(p -> p.admitted(), p -> p.passedOver(), p -> p.kept())
        .containsExactly(4, 0, 10);
    assertThat(range(sale, sale.keys().ready()))
        .containsExactlyInAnyOrderElementsOf(ids(third.subList(0, 4)));
    third.subList(0, 4).forEach(b -> assertThat(sale.scripts().leave(b).await()).isNotNull());
    lastSeen(sale, third.subList(4, 10), 126);
    sale.reachableFor(Duration.ofMinutes(9));
    assertThat(admit(sale, 250))
        .extracting(p -> p.admitted(), p -> p.passedOver(), p -> p.kept())
        .containsExactly(4, 6, 0);
  }

  /// Those who ask next have not been silent for the whole timeout yet, and count all the same.
  @Test
  void aPartialOutageIsNoticedBeforeItsFirstVictimIsPassedOver() {
    SaleWorld sale = SaleWorld.open(60, "presence_ms 60000 capacity 1");
    List<Buyer> all = joined(sale, 30);
    lastSeen(sale, all.subList(0, 1), 66);
    lastSeen(sale, all.subList(1, 10), 42);
    sale.reachableFor(Duration.ofMinutes(9));
    assertThat(admit(sale, 250))
        .extracting(p -> p.passedOver(), p -> p.kept())
        .containsExactly(0, 10);
  }

  @Test
  void aFewWhoAreAbsentArePassedOverAtOnce() {
    SaleWorld sale = SaleWorld.open(60, "presence_ms 60000 capacity 1");
    List<Buyer> all = joined(sale, 10);
    lastSeen(sale, all.subList(0, 4), 72);
    sale.reachableFor(Duration.ofMinutes(9));
    AdmitScript.Pass pass = admit(sale, 250);
    assertThat(pass.passedOver()).isEqualTo(4);
    assertThat(pass.kept()).isZero();
    assertThat(pass.ready()).containsExactly(all.get(4).session());
  }

  @Test
  void anAbsentPersonInActiveIsPassedOverWhenTheTurnComes() {
    SaleWorld sale = SaleWorld.open(60, "presence_ms 60000 capacity 3 slots 1");
    List<Buyer> all = joined(sale, 3);
    assertThat(admit(sale, 250).ready()).containsExactly(all.getFirst().session());
    lastSeen(sale, all.subList(1, 2), 66);
    sale.reachableFor(Duration.ofMinutes(9));
    assertThat(sale.scripts().leave(all.getFirst()).await().text()).startsWith("LEFT");
    AdmitScript.Pass pass = admit(sale, 250);
    assertThat(pass.passedOver()).isEqualTo(1);
    assertThat(pass.more()).isTrue();
    assertThat(sale.status(all.get(1))).isEqualTo("expired");
    assertThat(admit(sale, 250).ready()).containsExactly(all.get(2).session());
  }

  @Test
  void aSessionThatIsGoneIsPassedOverAndComesNotBackWithoutAnEnd() {
    List<Buyer> all = joined(world, 6);
    world.sent("DEL", world.keys().session(all.get(0).session()));
    assertThat(admit(world, 250))
        .extracting(p -> p.admitted(), p -> p.passedOver())
        .containsExactly(5, 1);
    // Third in active loses its session before its turn comes.
    world.sent("DEL", world.keys().session(all.get(3).session()));
    for (int i = 1; i <= 2; i++) {
      assertThat(world.scripts().leave(all.get(i)).await().text()).startsWith("LEFT");
    }
    assertThat(admit(world, 250).ready()).doesNotContain(all.get(3).session());
    assertThat(admit(world, 250).admitted()).isZero();
    assertThat(world.send("EXISTS", world.keys().session(all.get(3).session())).number()).isZero();
    assertThat(range(world, world.keys().active())).isEqualTo(ids(all.subList(4, 6)));
    assertThat(range(world, world.keys().ready()))
        .containsExactlyInAnyOrderElementsOf(ids(all.subList(4, 6)));
  }

  @Test
  void theTimeOneTurnTakesIsMeasured() {
    SaleWorld sale = SaleWorld.open(10, "slots 1");
    Buyer first = joined(sale, 1).getFirst();
    assertThat(admit(sale, 10).ready()).hasSize(1);
    assertThat(sale.sale("turn_ms")).isEqualTo("-1.000");
    sale.sent("HSET", sale.keys().sale(), "turn_at", Long.toString(sale.now() - 2_000));
    assertThat(joined(sale, 1)).hasSize(1);
    assertThat(sale.scripts().leave(first).await().text()).startsWith("LEFT");
    assertThat(admit(sale, 10).ready()).hasSize(1);
    assertThat(Double.parseDouble(sale.sale("turn_ms"))).isBetween(2_000.0, 60_000.0);
    assertThat(sale.sale("turns")).isEqualTo("2");
  }

  /// One unit, two buyers: the second gets a turn when the unit is free again, and not before.
  @Test
  void aTurnBeginsWhenAUnitIsFreeForIt() {
    SaleWorld sale = SaleWorld.open(1, "slots 5 payment 1 payment_ms 600000");
    List<Buyer> all = joined(sale, 3);
    assertThat(admit(sale, 250).ready()).containsExactly(all.getFirst().session());
    assertThat(sale.buy(all.getFirst())).startsWith("RESERVED");
    Buyer later = joined(sale, 1).getFirst();
    assertThat(admit(sale, 250).ready()).isEmpty();
    assertThat(sale.scripts().expire(250).await().missed()).isZero();
    assertThat(sale.status(all.get(1))).isEqualTo("active");
    RedisReply released =
        sale.scripts().release(all.getFirst(), sale.order(all.getFirst()), "cancelled").await();
    assertThat(released.textAt(0)).isEqualTo("RELEASED");
    assertThat(admit(sale, 250).ready()).containsExactly(all.get(1).session());
    assertThat(sale.scripts().stockBatch(2, 2).await().text()).isEqualTo("APPLIED");
    assertThat(admit(sale, 250).ready()).containsExactly(all.get(2).session(), later.session());
  }

  /// A payment that comes late takes a unit for which a window runs.
  @Test
  void aWindowWithoutAUnitIsClosedAndOpensInFullOnceUnitsComeBack() {
    SaleWorld sale = SaleWorld.open(3, "slots 3 token 1 token_ttl_ms 60000");
    List<Buyer> all = joined(sale, 4);
    assertThat(admit(sale, 250).ready()).hasSize(3);
    sale.sent("SET", sale.keys().stock(), "1");
    sale.windowPasses(all.get(2));
    assertThat(admit(sale, 250).ready()).isEmpty();
    assertThat(range(sale, sale.keys().ready())).isEqualTo(ids(all.subList(0, 1)));
    assertThat(range(sale, sale.keys().active())).isEqualTo(ids(all));
    assertThat(sale.scripts().expire(250).await().missed()).as("missed windows").isZero();
    for (Buyer waits : all.subList(1, 3)) {
      assertThat(sale.session(waits, "queue_status")).isEqualTo("active");
      assertThat(sale.session(waits, "purchase_timeout_at")).isEmpty();
      String lock = sale.keys().lock(waits.session());
      assertThat(sale.send("EXISTS", lock).number()).isZero();
      assertThat(sale.buy(waits)).isEqualTo("NOT_READY");
    }
    sale.sent("SET", sale.keys().stock(), "2");
    assertThat(admit(sale, 250).ready()).containsExactly(all.get(1).session());
    long window = Long.parseLong(sale.session(all.get(1), "purchase_timeout_at")) - sale.now();
    assertThat(window).isBetween(240_000L, 300_000L);
  }

  /// The first buys two units, so that the last of those with a turn goes on waiting.
  @Test
  void eachWindowHasAUnit() {
    SaleWorld sale = SaleWorld.open(3, "slots 10 max_quantity 2 max_user 2");
    List<Buyer> all = joined(sale, 5);
    assertThat(admit(sale, 250).ready()).hasSize(3);
    SaleScripts.Buy two = new SaleScripts.Buy(all.getFirst(), sale.order(all.getFirst()), 2);
    assertThat(sale.scripts().purchase(List.of(two)).await().textAt(0)).startsWith("RESERVED");
    assertThat(admit(sale, 250).ready()).isEmpty();
    assertThat(range(sale, sale.keys().ready())).isEqualTo(ids(all.subList(1, 2)));
    assertThat(range(sale, sale.keys().active())).isEqualTo(ids(all.subList(1, 5)));
  }

  @Test
  void windowsCloseInBoundedRuns() {
    SaleWorld sale = SaleWorld.open(5, "slots 5");
    assertThat(joined(sale, 5)).hasSize(5);
    assertThat(admit(sale, 250).ready()).hasSize(5);
    sale.sent("SET", sale.keys().stock(), "0");
    assertThat(admit(sale, 2).more()).isTrue();
    assertThat(range(sale, sale.keys().ready())).hasSize(3);
    assertThat(admit(sale, 2).more()).isTrue();
    assertThat(admit(sale, 2).more()).isFalse();
    assertThat(range(sale, sale.keys().ready())).isEmpty();
  }
}
