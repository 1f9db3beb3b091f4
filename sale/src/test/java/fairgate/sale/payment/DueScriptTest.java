package fairgate.sale.payment;

import static fairgate.sale.payment.SaleWorld.redis;
import static org.assertj.core.api.Assertions.assertThat;

import fairgate.catalog.SaleKeys;
import fairgate.kernel.OrderId;
import fairgate.kernel.ProductId;
import fairgate.sale.payment.OrderScripts.DueScript;
import java.time.Duration;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

final class DueScriptTest {
  private static final Duration LEASE = Duration.ofSeconds(15);
  private static final Duration STOP = Duration.ofSeconds(5);
  private static final long HOUR = 3_600_000;

  private final SaleWorld world = new SaleWorld(9);

  private List<OrderId> due(int max) {
    return world.book.due(world.product, max, LEASE, Duration.ZERO).await().orders();
  }

  private long quiet() {
    return world.book.due(world.product, 10, LEASE, Duration.ZERO).await().quietMillis();
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
  }

  @Test
  void deadlinesOfManySalesAreReadInOneRunThatTakesNothing() {
    Order due = world.reserve(1, -1);
    ProductId other = new ProductId("999999999");
    redis("HSET", SaleKeys.of(other, SaleKeys.Style.PLAIN).sale(), "payment_ms", "40000");
    long before = scriptRuns();
    List<DueScript.Due> read =
        world.book.deadlines(List.of(world.product, other)).stream()
            .map(reply -> reply.await())
            .toList();
    assertThat(scriptRuns() - before).isEqualTo(1);
    assertThat(read)
        .containsExactly(
            new DueScript.Due(1, 0, List.of()), new DueScript.Due(0, 40_000, List.of()));
    assertThat(due(10)).containsExactly(due.id());
  }

  private static long scriptRuns() {
    Matcher calls =
        Pattern.compile("cmdstat_evalsha:calls=(\\d+)")
            .matcher(redis("INFO", "commandstats").text());
    return calls.find() ? Long.parseLong(calls.group(1)) : 0;
  }

  private List<OrderId> dueWhileTheProviderFails() {
    return world.book.due(world.product, 10, LEASE, STOP).await().orders();
  }

  private void sale(String field, long value) {
    redis("HSET", world.keys.sale(), field, Long.toString(value));
  }

  @Test
  void nothingIsDueBeforeItsDeadline() {
    assertThat(world.reserve(1, 60_000)).isNotNull();
    assertThat(due(10)).isEmpty();
    assertThat(world.book.due(world.product, 1, LEASE, STOP).await().pending()).isEqualTo(1);
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
  void deadlinesStandStillInAnOutageForAtMostOnePaymentWindow() {
    Order order = world.reserve(1, -1);
    sale("payment_ms", HOUR);
    sale("passed_at", SaleWorld.now() - 60_000);
    assertThat(due(10)).as("before a pass").isEmpty();
    assertThat(world.order(order.id()).payBy()).isGreaterThan(SaleWorld.now());
    sale("passed_at", SaleWorld.now());
    sale("pay_paused_ms", 60_000);
    assertThat(due(10)).as("after it").isEmpty();
    sale("passed_at", SaleWorld.now() - 60_000);
    sale("pay_paused_ms", 0);
    sale("payment_ms", 0);
    assertThat(due(10)).containsExactly(order.id());
  }

  /// The provider has failed for an hour, as a node said a moment ago.
  private void providerFailedForAnHour() {
    long now = SaleWorld.now();
    sale("pay_stopped_at", now - HOUR);
    sale("pay_stopped_until", now + 60_000);
  }

  @Test
  void deadlinesStandStillWhileTheProviderFails() {
    Order order = world.reserve(1, 1_000);
    assertThat(dueWhileTheProviderFails()).isEmpty();
    assertThat(redis("HGET", world.keys.sale(), "pay_stopped_at").text()).isNotEmpty();
    providerFailedForAnHour();
    assertThat(dueWhileTheProviderFails()).isEmpty();
    assertThat(world.book.release(order.id(), ReleaseOutcome.Reason.EXPIRED).await())
        .isEqualTo(new ReleaseOutcome.NotDue());
    Order shown = world.order(order.id());
    assertThat(shown.isStopped()).isTrue();
    assertThat(shown.payBy()).isBetween(order.payBy() + HOUR, order.payBy() + HOUR + 60_000);

    sale("pay_stopped_until", SaleWorld.now() - 1);
    assertThat(due(10)).as("the buyer has what was left").isEmpty();
    assertThat(world.order(order.id()).isStopped()).isFalse();
    // Another stop follows, and both count.
    assertThat(dueWhileTheProviderFails()).isEmpty();
    assertThat(world.order(order.id()).payBy()).isGreaterThanOrEqualTo(order.payBy() + HOUR - 1);
    world.assertConserved();
  }

  /// It may be closed at the provider, so its buyer could not pay with more time.
  @Test
  void anOrderThatIsDueStaysDueWhenTheProviderFailsLater() {
    Order order = world.reserve(1, -1);
    assertThat(due(10)).containsExactly(order.id());
    assertThat(dueWhileTheProviderFails()).isEmpty();
    assertThat(world.book.release(order.id(), ReleaseOutcome.Reason.EXPIRED).await())
        .isEqualTo(new ReleaseOutcome.Released());
    world.assertConserved();
  }

  @Test
  void withoutUnpaidOrdersNothingIsWritten() {
    assertThat(dueWhileTheProviderFails()).isEmpty();
    assertThat(redis("HEXISTS", world.keys.sale(), "pay_stopped_at").number()).isZero();
  }
}
