package fairgate.sale;

import static org.assertj.core.api.Assertions.assertThat;

import fairgate.Buyer;
import fairgate.SaleWorld;
import fairgate.catalog.SaleKeys;
import fairgate.kernel.OrderId;
import fairgate.sale.SaleRebuild.RebuildScript;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

final class RebuildOrderScriptTest {
  private final SaleWorld world = SaleWorld.open(5);
  private final SaleKeys keys = world.keys();

  private boolean restore(Buyer buyer, OrderId order, String epoch, String status) {
    return RebuildScript.ORDER
        .run(
            world.redis(),
            List.of(
                keys.sale(),
                keys.order(order),
                keys.session(buyer.session()),
                keys.purchases(),
                keys.pending(),
                keys.active(),
                keys.ready(),
                keys.waiting(),
                keys.userBought(buyer.user()),
                keys.deviceBought(buyer.device()),
                keys.devices()),
            List.of(
                epoch,
                order.value(),
                buyer.session().value(),
                world.product().value(),
                "86400",
                "3",
                "2",
                status,
                "77",
                "status",
                status,
                "quantity",
                "2"))
        .await();
  }

  @Test
  void anOrderIsPutBackWithItsLimitsAndItsDeadline() {
    Buyer buyer = world.buyer();
    OrderId order = world.order();
    world.sent("HSET", keys.sale(), "state", "rebuilding", "epoch", "2");
    assertThat(restore(buyer, order, "2", "pending")).isTrue();
    var names = world.names();
    assertThat(restore(buyer, order, "2", "pending")).as("a repeat").isTrue();
    assertThat(world.names()).isEqualTo(names);
    assertThat(world.send("SCARD", keys.purchases()).number()).isEqualTo(1);
    assertThat(world.send("HGET", keys.order(order), "status").text()).isEqualTo("pending");
    assertThat(world.send("SISMEMBER", keys.purchases(), buyer.session().value()).number())
        .isEqualTo(1);
    assertThat(world.score(keys.pending(), order.value())).isEqualTo(77);
    assertThat(world.send("GET", keys.userBought(buyer.user())).text()).isNotEmpty();
    assertThat(world.session(buyer, "queue_status")).isEqualTo("purchased");
    assertThat(world.send("TTL", keys.session(buyer.session())).number()).isPositive();
  }

  @Test
  void aRestoredOrderKeepsItsPaymentPauseOrGetsItsDeadlineAsItWasTold() {
    Buyer buyer = world.buyer();
    OrderId lost = world.order();
    OrderId kept = world.order();
    world.sent("HSET", keys.sale(), "state", "rebuilding", "epoch", "2", "pay_paused_ms", "50");
    world.sent("HSET", keys.order(kept), "pay_pause", "20");
    assertThat(restore(buyer, lost, "2", "pending")).isTrue();
    assertThat(restore(buyer, kept, "2", "pending")).isTrue();
    assertThat(world.score(keys.pending(), lost.value())).isEqualTo(77 - 50);
    assertThat(world.send("HGET", keys.order(lost), "pay_pause").text()).isEqualTo("50");
    assertThat(world.score(keys.pending(), kept.value())).isEqualTo(77 - 20);
  }

  @Test
  void aRestoredOrderTakesItsDepositAgain() {
    Buyer buyer = world.buyer();
    OrderId order = world.order();
    world.sent("HSET", keys.sale(), "state", "rebuilding", "epoch", "2");
    world.sent("HSET", keys.order(order), "deposit", "order_1_u1 20");
    assertThat(restore(buyer, order, "2", "expired")).isTrue();
    assertThat(world.send("HGET", keys.deposits(), "order_1_u1").text()).isEqualTo(order.value());
  }

  @Test
  void aBuyerStillInTheQueueOfAnOlderCopyLeavesIt() {
    Buyer buyer = world.ready();
    world.sent("HSET", keys.sale(), "state", "rebuilding", "epoch", "2");
    assertThat(restore(buyer, world.order(), "2", "paid")).isTrue();
    assertThat(world.send("ZSCORE", keys.active(), buyer.session().value()).isNil()).isTrue();
    assertThat(world.send("ZSCORE", keys.ready(), buyer.session().value()).isNil()).isTrue();
    assertThat(world.send("ZCARD", keys.pending()).number()).isZero();
  }

  @Test
  void anOrderThatHasEndedSinceAnOlderCopyHasEndedInItToo() {
    Buyer buyer = world.buyer();
    OrderId order = world.order();
    world.sent("HSET", keys.order(order), "status", "pending", "quantity", "2");
    world.sent(
        "HSET", keys.session(buyer.session()), "queue_status", "purchased", "order", order.value());
    world.sent("HSET", keys.sale(), "state", "rebuilding", "epoch", "2");
    assertThat(restore(buyer, order, "2", "expired")).isTrue();
    assertThat(world.send("HGET", keys.order(order), "status").text()).isEqualTo("expired");
    assertThat(world.session(buyer, "queue_status")).isEqualTo("expired");
    assertThat(world.session(buyer, "ended")).isEqualTo("unpaid");
    assertThat(world.send("EXISTS", keys.purchases(), keys.pending()).number()).isZero();
  }

  @Test
  void anEndedOrderThatRedisHasForgottenIsKnownAgainForLateMoney() {
    Buyer buyer = world.buyer();
    OrderId order = world.order();
    world.sent("HSET", keys.sale(), "state", "rebuilding", "epoch", "2");
    assertThat(restore(buyer, order, "2", "cancelled")).isTrue();
    assertThat(world.send("HGET", keys.order(order), "status").text()).isEqualTo("cancelled");
    assertThat(world.send("EXISTS", keys.session(buyer.session()), keys.pending()).number())
        .isZero();
  }

  @Test
  void theNetworksOfAnOlderCopyAreCorrected() {
    Buyer buyer = world.buyer();
    OrderId ended = world.order();
    String units = keys.eventPrefix() + ":net:n1:bought";
    world.sent(
        "HSET", keys.order(ended), "status", "pending", "quantity", "2", "networks", "n1 n2");
    world.sent("SET", units, "2");
    world.sent("HSET", keys.sale(), "state", "rebuilding", "epoch", "2");
    assertThat(restore(buyer, ended, "2", "expired")).isTrue();
    assertThat(restore(buyer, ended, "2", "expired")).as("a repeat").isTrue();
    assertThat(world.send("GET", units).text()).isEqualTo("0");
    assertThat(restore(buyer, ended, "2", "paid")).as("a late payment").isTrue();
    assertThat(world.send("GET", units).text()).isEqualTo("2");
  }

  @Test
  void anOrderThatAnOlderCopyLacksGetsTheNetworksOfItsSession() {
    Buyer buyer = world.ready();
    OrderId order = world.order();
    String units = keys.eventPrefix() + ":net:n1:bought";
    world.sent("HSET", keys.session(buyer.session()), "networks", "n1", "lane", "1");
    world.sent("HSET", keys.devices(), "net:n1", "3", "lane:1", "1");
    world.sent("HSET", keys.sale(), "state", "rebuilding", "epoch", "2");
    for (int i = 0; i < 2; i++) {
      assertThat(restore(buyer, order, "2", "paid")).isTrue();
      assertThat(world.send("GET", units).text()).isEqualTo("2");
      assertThat(world.send("HGET", keys.devices(), "net:n1").text()).isEqualTo("2");
      assertThat(world.send("HLEN", keys.devices()).number()).isOne();
    }
  }

  @Test
  void anotherEpochOrAnEndedRebuildTakesNothing() {
    Buyer buyer = world.buyer();
    Map<String, String> before = world.dump();
    assertThat(restore(buyer, world.order(), "1", "paid")).as("not rebuilding").isFalse();
    assertThat(world.dump()).isEqualTo(before);
    world.sent("HSET", keys.sale(), "state", "rebuilding", "epoch", "3");
    assertThat(restore(buyer, world.order(), "2", "paid")).as("overtaken").isFalse();
  }
}
