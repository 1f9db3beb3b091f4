package fairgate.gate.appeal;

import fairgate.gate.appeal.AppealFeature.OpenSale;
import fairgate.kernel.ProductId;
import java.time.Clock;
import java.time.Duration;
import java.util.List;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/// The deadlines of appeals: 15 minutes while the sale is on, else 72 hours. An appeal against a
/// decision that named no sale has the shorter one while any sale is on.
record AppealClock(Supplier<List<OpenSale>> sales, Clock clock) {
  static final Duration ON_SALE = Duration.ofMinutes(15);
  static final Duration OTHERWISE = Duration.ofDays(3);

  /// The length of an exemption or exclusion "for this sale" when the sale has no end.
  private static final Duration WITHOUT_END = Duration.ofDays(1);

  long now() {
    return clock.millis();
  }

  List<OpenSale> open() {
    return sales.get();
  }

  boolean isOnSale(@Nullable ProductId product) {
    return open().stream().anyMatch(sale -> product == null || sale.product().equals(product));
  }

  /// The deadline of an appeal that is filed now, ms.
  long due(boolean onSale) {
    return now() + (onSale ? ON_SALE : OTHERWISE).toMillis();
  }

  /// The time until the end of the sale; a day for a sale without an end, and when the sale is
  /// unknown or over.
  Duration untilEnd(@Nullable ProductId product) {
    long end =
        open().stream()
            .filter(sale -> product == null || sale.product().equals(product))
            .mapToLong(OpenSale::closesAt)
            .max()
            .orElse(0);
    Duration rest = Duration.ofMillis(end - now());
    return rest.isPositive() ? rest : WITHOUT_END;
  }
}
