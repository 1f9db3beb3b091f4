package fairgate.catalog;

import fairgate.kernel.Word;
import java.util.Locale;
import java.util.Optional;

/// The state of a product's sale. Where `opens_at` is set, Redis time decides between scheduled and
/// open, whichever is stored. A sale whose `closes_at` has passed counts as closed.
public enum ProductState implements Word {
  SCHEDULED,
  OPEN,
  PAUSED,
  CLOSED;

  static ProductState of(String word) {
    return valueOf(word.toUpperCase(Locale.ROOT));
  }

  /// The steps an operator can take with a sale.
  public enum Step implements Word {
    /// Opens the sale now and removes an `opens_at` in the future.
    OPEN,
    /// Pauses a sale, or delays the opening of a scheduled one.
    PAUSE,
    /// Ends a pause: the sale is open again if it had opened or its `opens_at` has passed, else
    /// scheduled.
    RESUME,
    CLOSE;

    /// The state after the step; the same state for a repeat; empty when the step is not allowed. A
    /// closed sale stays closed.
    ///
    /// @param state as the clock has it
    /// @param opened whether the sale is open once nothing holds it back: its `opens_at` has
    ///   passed, or an operator has opened it
    Optional<ProductState> from(ProductState state, boolean opened) {
      return switch (this) {
        case OPEN ->
            state == ProductState.OPEN || state == ProductState.SCHEDULED
                ? Optional.of(ProductState.OPEN)
                : Optional.empty();
        case PAUSE ->
            state == ProductState.CLOSED ? Optional.empty() : Optional.of(ProductState.PAUSED);
        case RESUME ->
            switch (state) {
              case PAUSED -> Optional.of(opened ? ProductState.OPEN : ProductState.SCHEDULED);
              case OPEN -> Optional.of(ProductState.OPEN);
              case SCHEDULED, CLOSED -> Optional.empty();
            };
        case CLOSE -> Optional.of(ProductState.CLOSED);
      };
    }
  }
}
