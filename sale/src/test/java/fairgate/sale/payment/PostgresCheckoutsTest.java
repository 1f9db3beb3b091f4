package fairgate.sale.payment;

import static org.assertj.core.api.Assertions.assertThat;

import fairgate.TestEngines;
import fairgate.kernel.Money;
import fairgate.kernel.OrderId;
import fairgate.kernel.ProductId;
import fairgate.sale.ledger.LedgerFixture;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("slow")
final class PostgresCheckoutsTest {
  private static final Money AMOUNT = new Money(100, "TWD");

  private final LedgerFixture books = LedgerFixture.fresh(TestEngines.shared());
  private final PostgresCheckouts checkouts = new PostgresCheckouts(books.database(), "stripe");

  @AfterEach
  void close() {
    books.close();
  }

  private static OrderId order(int number) {
    return OrderId.of(new ProductId("7"), "%026d".formatted(number));
  }

  private boolean begin(OrderId order, int number) {
    return checkouts.begin(order, number, "r" + number, AMOUNT, null).isPresent();
  }

  @Test
  void triesAreNumberedWithoutGaps() {
    assertThat(begin(order(1), 1)).isTrue();
    assertThat(begin(order(1), 1)).isFalse();
    assertThat(begin(order(1), 3)).isFalse();
    assertThat(begin(order(1), 2)).isTrue();
    assertThat(checkouts.attempts(order(1))).extracting("request").containsExactly("r1", "r2");
  }

  @Test
  void noTryBeginsAfterTheOrderWasClosed() {
    assertThat(begin(order(1), 1)).isTrue();
    assertThat(checkouts.close(order(1))).hasSize(1);
    assertThat(checkouts.close(order(1))).hasSize(1);
    assertThat(begin(order(1), 2)).isFalse();
    assertThat(checkouts.isClosed(order(1))).isTrue();
    assertThat(checkouts.close(order(2))).isEmpty();
    assertThat(begin(order(2), 1)).isFalse();
  }

  @Test
  void aTryIsSeenByItsCloserOrDoesNotBegin() throws ExecutionException, InterruptedException {
    try (ExecutorService both = Executors.newVirtualThreadPerTaskExecutor()) {
      for (int i = 0; i < 50; i++) {
        OrderId order = order(i);
        Callable<Boolean> beginning = () -> begin(order, 1);
        Callable<List<HostedGateway.Attempt>> closing = () -> checkouts.close(order);
        Future<Boolean> begun = both.submit(beginning);
        Future<List<HostedGateway.Attempt>> closed = both.submit(closing);
        assertThat(closed.get()).hasSize(begun.get() ? 1 : 0);
      }
    }
  }

  @Test
  void aPaymentIsFoundByItsTry() {
    assertThat(begin(order(1), 1)).isTrue();
    HostedGateway.Attempt attempt = checkouts.attempts(order(1)).getFirst();
    checkouts.opened(attempt, "cs_1", "https://checkout.example/cs_1");
    checkouts.declined("cs_1", "declined: insufficient_funds");
    checkouts.paid("cs_1", new Payment("pi_1", AMOUNT), "detail");
    checkouts.declined("cs_1", "declined: too late");
    checkouts.ended(attempt, "ended: too late");
    HostedGateway.Attempt paid = checkouts.byPayment("pi_1").orElseThrow();
    assertThat(paid.order()).isEqualTo(order(1));
    assertThat(Objects.requireNonNull(paid.detail())).isEqualTo("detail");
    assertThat(paid.ended()).isFalse();
    assertThat(PostgresCheckouts.tries(books.database(), order(1)))
        .singleElement()
        .satisfies(attempted -> assertThat(attempted.result()).isEqualTo("paid"));
    assertThat(new PostgresCheckouts(books.database(), "ecpay").byPayment("pi_1")).isEmpty();
  }
}
