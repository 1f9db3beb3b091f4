package fairgate.sale.payment;

import static fairgate.sale.payment.SaleWorld.redis;
import static org.assertj.core.api.Assertions.assertThat;

import fairgate.kernel.OrderId;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

final class DueScriptTest {
  private static final Duration LEASE = Duration.ofSeconds(15);

  private final SaleWorld world = new SaleWorld(9);

  private List<OrderId> due(int max) {
    return world.book.due(world.product, max, LEASE).await().orders();
  }

  private long quiet() {
    return world.book.due(world.product, 10, LEASE).await().quietMillis();
  }

  @Test
  void theNextDeadlineIsThatOfTheFirstOrderOrOfOneMadeNow() {
    redis("HSET", world.keys.sale(), "payment_ms", "0");
    assertThat(quiet()).as("a sale without payment").isEqualTo(60_000);
    redis("HSET", world.keys.sale(), "payment_ms", "40000");
    assertThat(quiet()).as("no order").isEqualTo(40_000);
    assertThat(world.reserve(1, 60_000)).isNotNull();
    assertThat(quiet()).as("a later order may have less time").isEqualTo(40_000);
    assertThat(world.reserve(1, 20_000)).isNotNull();
    assertThat(quiet()).isBetween(1L, 20_000L);
    assertThat(world.reserve(1, -1)).isNotNull();
    assertThat(quiet()).as("taken, and due again after the lease").isBetween(1L, 15_000L);
    redis("HSET", world.keys.sale(), "pay_until", Long.toString(SaleWorld.now() + 60_000));
    assertThat(quiet()).as("after an outage").isZero();
  }

  @Test
  void nothingIsDueBeforeItsDeadline() {
    assertThat(world.reserve(1, 60_000)).isNotNull();
    assertThat(due(10)).isEmpty();
  }

  @Test
  void theEarliestDeadlinesComeFirstAndNoMoreThanAskedFor() {
    Order second = world.reserve(1, -10);
    Order first = world.reserve(1, -1_000);
    Order third = world.reserve(1, -1);
    assertThat(due(2)).containsExactly(first.id(), second.id());
    assertThat(due(2)).containsExactly(third.id());
  }

  @Test
  void whatWasTakenComesAgainAfterTheLeaseOnly() {
    Order order = world.reserve(1, -1);
    long before = SaleWorld.now();
    assertThat(due(10)).containsExactly(order.id());
    assertThat(due(10)).isEmpty();
    double again =
        Double.parseDouble(redis("ZSCORE", world.keys.pending(), order.id().value()).text());
    assertThat(again).isBetween(before + 15_000.0, SaleWorld.now() + 15_000.0);
    assertThat(redis("ZADD", world.keys.pending(), "1", order.id().value()).number()).isZero();
    assertThat(due(10)).containsExactly(order.id());
  }

  @Test
  void afterAnOutageAnOrderCanBePaidForAsLongAsTheOutageLasted() {
    Order order = world.reserve(1, -1);
    String now = Long.toString(SaleWorld.now());
    redis("HSET", world.keys.sale(), "passed_at", Long.toString(SaleWorld.now() - 60_000));
    assertThat(due(10)).as("before a pass").isEmpty();
    redis("HSET", world.keys.sale(), "passed_at", now, "pay_until", now + "0");
    assertThat(due(10)).isEmpty();
    redis("HSET", world.keys.sale(), "pay_until", now);
    assertThat(due(10)).containsExactly(order.id());
  }
}
