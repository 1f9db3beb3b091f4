package fairgate.sale.payment;

import static fairgate.sale.payment.SaleWorld.redis;
import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.Test;

final class DueScriptTest {
  private static final Duration LEASE = Duration.ofSeconds(15);

  private final SaleWorld world = new SaleWorld(9);

  @Test
  void nothingIsDueBeforeItsDeadline() {
    assertThat(world.reserve(1, 60_000)).isNotNull();
    assertThat(world.book.due(world.product, 10, LEASE).await()).isEmpty();
  }

  @Test
  void theEarliestDeadlinesComeFirstAndNoMoreThanAskedFor() {
    Order second = world.reserve(1, -10);
    Order first = world.reserve(1, -1_000);
    Order third = world.reserve(1, -1);
    assertThat(world.book.due(world.product, 2, LEASE).await())
        .containsExactly(first.id(), second.id());
    assertThat(world.book.due(world.product, 2, LEASE).await()).containsExactly(third.id());
  }

  @Test
  void whatWasTakenComesAgainAfterTheLeaseOnly() {
    Order order = world.reserve(1, -1);
    long before = SaleWorld.now();
    assertThat(world.book.due(world.product, 10, LEASE).await()).containsExactly(order.id());
    assertThat(world.book.due(world.product, 10, LEASE).await()).isEmpty();
    double again =
        Double.parseDouble(redis("ZSCORE", world.keys.pending(), order.id().value()).text());
    assertThat(again).isBetween(before + 15_000.0, SaleWorld.now() + 15_000.0);
    assertThat(redis("ZADD", world.keys.pending(), "1", order.id().value()).number()).isZero();
    assertThat(world.book.due(world.product, 10, LEASE).await()).containsExactly(order.id());
  }

  @Test
  void afterAnOutageAnOrderCanBePaidForAsLongAsTheOutageLasted() {
    Order order = world.reserve(1, -1);
    String now = Long.toString(SaleWorld.now());
    redis("HSET", world.keys.sale(), "passed_at", Long.toString(SaleWorld.now() - 60_000));
    assertThat(world.book.due(world.product, 10, LEASE).await()).as("before a pass").isEmpty();
    redis("HSET", world.keys.sale(), "passed_at", now, "pay_until", now + "0");
    assertThat(world.book.due(world.product, 10, LEASE).await()).isEmpty();
    redis("HSET", world.keys.sale(), "pay_until", now);
    assertThat(world.book.due(world.product, 10, LEASE).await()).containsExactly(order.id());
  }
}
