package fairgate.catalog;

import java.util.Locale;
import java.util.Optional;

/// What an operator can do with a sale.
public enum SaleStep {
  OPEN,
  PAUSE,
  RESUME,
  CLOSE;

  /// The name in the admin API.
  public String word() {
    return name().toLowerCase(Locale.ROOT);
  }

  /// Where the step leads from a state; the state itself for a repeat; empty where it is not
  /// allowed. A closed sale stays closed.
  Optional<ProductState> from(ProductState state) {
    return switch (this) {
      case OPEN -> only(state, ProductState.OPEN, ProductState.SCHEDULED);
      case PAUSE -> only(state, ProductState.PAUSED, ProductState.OPEN, ProductState.SCHEDULED);
      case RESUME -> only(state, ProductState.OPEN, ProductState.PAUSED);
      case CLOSE -> Optional.of(ProductState.CLOSED);
    };
  }

  private static Optional<ProductState> only(
      ProductState state, ProductState target, ProductState... sources) {
    boolean allowed = state == target;
    for (ProductState source : sources) {
      allowed |= state == source;
    }
    return allowed ? Optional.of(target) : Optional.empty();
  }
}
