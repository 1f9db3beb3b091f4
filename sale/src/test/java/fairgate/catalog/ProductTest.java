package fairgate.catalog;

import static org.assertj.core.api.Assertions.assertThat;

import fairgate.kernel.Money;
import fairgate.kernel.ProductId;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

final class ProductTest {
  private static final Instant NOW = Instant.parse("2026-11-20T12:00:00Z");
  private static final Duration MINUTE = Duration.ofMinutes(1);

  private static Product sale(
      ProductState state, @Nullable Duration opens, @Nullable Duration closes) {
    SalePolicy policy =
        SalePolicy.Preset.FLASH
            .policy()
            .with(
                new SalePolicy.Schedule(
                    opens == null ? null : NOW.plus(opens),
                    closes == null ? null : NOW.plus(closes),
                    List.of()));
    Product.Details details = new Product.Details("Shoe", "", new Money(100, "EUR"), 10, null);
    return new Product(
        new ProductId("7"), details, policy, 1, state, 1, null, ProductContent.EMPTY);
  }

  @Test
  void aSaleIsOpenByTheClock() {
    assertThat(sale(ProductState.OPEN, null, null).isOpen(NOW)).isTrue();
    assertThat(sale(ProductState.OPEN, null, MINUTE).isOpen(NOW)).isTrue();
    assertThat(sale(ProductState.SCHEDULED, MINUTE.negated(), null).isOpen(NOW)).isTrue();
    assertThat(sale(ProductState.OPEN, MINUTE, null).isOpen(NOW)).isFalse();
    assertThat(sale(ProductState.OPEN, null, MINUTE.negated()).isOpen(NOW)).isFalse();
    assertThat(sale(ProductState.SCHEDULED, null, null).isOpen(NOW)).isFalse();
    assertThat(sale(ProductState.CLOSED, null, null).isOpen(NOW)).isFalse();
  }

  @Test
  void theClockOpensAndClosesASaleWhateverIsStored() {
    Duration past = MINUTE.negated();
    assertThat(sale(ProductState.SCHEDULED, past, null).stateAt(NOW)).isEqualTo(ProductState.OPEN);
    assertThat(sale(ProductState.OPEN, MINUTE, null).stateAt(NOW))
        .isEqualTo(ProductState.SCHEDULED);
    assertThat(sale(ProductState.SCHEDULED, null, null).stateAt(NOW))
        .isEqualTo(ProductState.SCHEDULED);
    assertThat(sale(ProductState.PAUSED, past, null).stateAt(NOW)).isEqualTo(ProductState.PAUSED);
    assertThat(sale(ProductState.OPEN, past, Duration.ZERO).stateAt(NOW))
        .isEqualTo(ProductState.CLOSED);
    assertThat(sale(ProductState.PAUSED, null, past).stateAt(NOW)).isEqualTo(ProductState.CLOSED);
  }

  @Test
  void aPausedSaleIsOnAndNotOpen() {
    assertThat(sale(ProductState.PAUSED, null, null).isOn(NOW)).isTrue();
    assertThat(sale(ProductState.PAUSED, null, null).isOpen(NOW)).isFalse();
    assertThat(sale(ProductState.PAUSED, null, MINUTE.negated()).isOn(NOW)).isFalse();
  }
}
