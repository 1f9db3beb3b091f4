package fairgate.sale.payment;

import static fairgate.sale.payment.SaleWorld.redis;
import static org.assertj.core.api.Assertions.assertThat;

import fairgate.kernel.OrderId;
import fairgate.sale.payment.OrderBook.AbsentScript;
import org.junit.jupiter.api.Test;

/// Why an order is not there.
final class AbsentScriptTest {
  private final SaleWorld world = new SaleWorld(5);
  private final OrderId nobodys = OrderId.of(world.product, "z".repeat(26));

  private AbsentScript.Reply word(OrderId id) {
    return new AbsentScript(SaleWorld.REDIS).run(world.keys, id).await();
  }

  @Test
  void aWholeSaleKnowsAllItsOrders() {
    assertThat(word(nobodys)).isEqualTo(AbsentScript.Reply.UNKNOWN);
    assertThat(redis("HSET", world.keys.sale(), "state", "open").number()).isEqualTo(1);
    assertThat(word(nobodys)).isEqualTo(AbsentScript.Reply.UNKNOWN);
  }

  @Test
  void afterAStartOfRedisNobodyCanTell() {
    assertThat(redis("HSET", world.keys.sale(), "run", "another").number()).isEqualTo(1);
    assertThat(word(nobodys)).isEqualTo(AbsentScript.Reply.RETRY);
  }

  @Test
  void noOneCanTellWhileItIsBuiltAnew() {
    assertThat(redis("HSET", world.keys.sale(), "state", "rebuilding").number()).isEqualTo(1);
    assertThat(word(nobodys)).isEqualTo(AbsentScript.Reply.RETRY);
  }

  @Test
  void anOrderThatHasComeSinceIsAskedForAgain() {
    assertThat(word(world.reserve(1, 1_000).id())).isEqualTo(AbsentScript.Reply.RETRY);
  }

  @Test
  void anEmptyRedisHasNoSale() {
    assertThat(redis("DEL", world.keys.sale()).number()).isEqualTo(1);
    assertThat(word(nobodys)).isEqualTo(AbsentScript.Reply.NO_SALE);
  }
}
