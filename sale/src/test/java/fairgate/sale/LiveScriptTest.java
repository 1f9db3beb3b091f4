package fairgate.sale;

import static org.assertj.core.api.Assertions.assertThat;

import fairgate.Buyer;
import fairgate.SaleWorld;
import fairgate.platform.redis.RedisFailure;
import fairgate.sale.SaleScripts.LiveScript;
import io.vertx.core.Future;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

final class LiveScriptTest {
  private static LiveCounters live(SaleWorld in) {
    Map<String, String> before = in.dump();
    LiveCounters live = new LiveScript(in.redis()).run(in.keys()).await();
    assertThat(in.dump()).isEqualTo(before);
    return live;
  }

  @Test
  void nothingIsKnownOfASaleThereIsNot() {
    LiveCounters live = live(SaleWorld.unknown());
    assertThat(live.known()).isFalse();
    assertThat(live.balanced()).isTrue();
    assertThat(live.turnMs()).isNegative();
  }

  @Test
  void allCountersAreOfOneInstant() {
    SaleWorld world = SaleWorld.open(9, "capacity 4 slots 3 payment 1 payment_ms 60000");
    List<Buyer> all = world.buyers(7);
    assertThat(world.join(all)).hasSize(7);
    assertThat(world.admitReady()).hasSize(3);
    assertThat(world.buy(all.get(0))).startsWith("RESERVED");
    world.windowPasses(all.get(1));
    assertThat(world.scripts().expire(10).await().missed()).isEqualTo(1);
    assertThat(world.scripts().leave(all.get(6)).await().text()).startsWith("LEFT");
    LiveCounters live = live(world);
    assertThat(live.known()).isTrue();
    assertThat(live.state()).isEqualTo("open");
    assertThat(List.of(live.free(), live.released(), live.held(), live.confirmed()))
        .containsExactly(8L, 9L, 1L, 0L);
    assertThat(List.of(live.waiting(), live.active(), live.ready())).containsExactly(2L, 2L, 1L);
    assertThat(List.of(live.purchases(), live.pending())).containsExactly(1L, 1L);
    assertThat(List.of(live.joined(), live.admitted(), live.missed(), live.turns()))
        .containsExactly(7L, 4L, 1L, 3L);
    assertThat(live.batch()).isEqualTo(1);
    assertThat(List.of(live.seq(), live.epoch(), live.version(), live.outboxEntries()))
        .containsExactly(2L, 1L, 1L, 2L);
    assertThat(live.now()).isBetween(world.now() - 10_000, world.now());
    assertThat(live.balanced()).isTrue();
  }

  @Test
  void salesThatAreReadTogetherDoNotDisturbEachOther() {
    SaleWorld one = SaleWorld.open(9);
    SaleWorld broken = SaleWorld.open(3);
    SaleWorld other = SaleWorld.open(4);
    broken.sent("SET", broken.keys().waiting(), "a text");
    LiveScript script = new LiveScript(one.redis());
    List<Future<LiveCounters>> live =
        script.run(Stream.of(one, broken, other).map(SaleWorld::keys).toList());
    var _ = Future.join(live).otherwiseEmpty().await();
    assertThat(live.get(0).result().free()).isEqualTo(9);
    assertThat(live.get(1).cause()).isInstanceOf(RedisFailure.class);
    assertThat(live.get(2).result().free()).isEqualTo(4);
  }

  @Test
  void theNextPaymentDeadlineIsThatOfTheEarliestUnpaidOrder() {
    SaleWorld world = SaleWorld.open(9, "capacity 4 slots 3 payment 1 payment_ms 600000");
    List<Buyer> all = world.buyers(2);
    assertThat(world.join(all)).hasSize(2);
    assertThat(live(world).nextDeadline()).isZero();
    assertThat(world.admit().size()).isPositive();
    assertThat(world.buy(all.get(0))).startsWith("RESERVED");
    long first = live(world).nextDeadline();
    assertThat(first).isBetween(world.now() + 590_000, world.now() + 600_000);
    assertThat(world.buy(all.get(1))).startsWith("RESERVED");
    assertThat(live(world).nextDeadline()).isEqualTo(first);
    world.sent("HSET", world.keys().sale(), "pay_paused_ms", "5000");
    assertThat(live(world).nextDeadline()).as("deadlines stood still").isEqualTo(first + 5_000);
  }

  @Test
  void theStateIsThatOfThisInstant() {
    SaleWorld world =
        SaleWorld.in("scheduled", 1, "opens_at " + (SaleWorld.unknown().now() + 60_000));
    assertThat(live(world).state()).isEqualTo("scheduled");
    world.sent("HSET", world.keys().sale(), "opens_at", Long.toString(world.now()));
    assertThat(live(world).state()).isEqualTo("open");
    world.sent("HSET", world.keys().sale(), "closes_at", Long.toString(world.now()));
    assertThat(live(world).state()).isEqualTo("closed");
  }
}
