package fairgate.sale.payment;

import static fairgate.sale.payment.SaleWorld.payment;
import static org.assertj.core.api.Assertions.assertThat;

import fairgate.sale.payment.PaymentConfig.LateMoney;
import fairgate.sale.payment.ReleaseOutcome.Reason;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.RepeatedTest;

/// Payment and release of one order at the same instant, from many sides.
final class OrderRaceTest {
  private static final int SIDES = 24;

  @RepeatedTest(20)
  void exactlyOneOfPaymentAndReleaseCounts() throws InterruptedException, ExecutionException {
    SaleWorld world = new SaleWorld(2);
    OrderBook book = world.book(LateMoney.REFUND);
    Order order = world.reserve(2, -1);
    CountDownLatch go = new CountDownLatch(1);
    List<Future<Object>> results = new ArrayList<>();
    try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
      for (int i = 0; i < SIDES; i++) {
        boolean pays = i % 2 == 0;
        results.add(
            threads.submit(
                () -> {
                  go.await();
                  return pays
                      ? book.confirm(order.id(), payment("p", order)).await()
                      : book.release(order.id(), Reason.EXPIRED).await();
                }));
      }
      go.countDown();
    }
    int confirmed = 0;
    int released = 0;
    for (Future<Object> result : results) {
      confirmed += result.get() instanceof ConfirmOutcome.Confirmed ? 1 : 0;
      released += result.get() instanceof ReleaseOutcome.Released ? 1 : 0;
    }
    assertThat(confirmed + released).isEqualTo(1);
    assertThat(world.confirmed()).isEqualTo(confirmed == 1 ? 2 : 0);
    assertThat(world.free()).isEqualTo(released == 1 ? 2 : 0);
    assertThat(world.held()).isZero();
    assertThat(world.kinds())
        .isEqualTo(confirmed == 1 ? List.of("confirmed") : List.of("released", "refund_due"));
    world.assertConserved();
  }
}
