package fairgate.sale.ledger;

import fairgate.kernel.ProductId;

/// What the books say of one sale, at one instant: enough to rebuild its gate in Redis.
///
/// @param totals units
/// @param lastRelease number of the last released stock batch; 0 = none
/// @param position how far the outbox was read
public record LedgerSnapshot(ProductId product, Totals totals, int lastRelease, Position position) {

  /// Units of the sale.
  ///
  /// @param released units that may be sold; the sum of all released batches
  /// @param held units of pending orders
  /// @param confirmed units of paid orders
  public record Totals(long released, long held, long confirmed) {
    /// Units nobody has.
    public long free() {
      return released - held - confirmed;
    }
  }

  /// Where in the outbox the books stand.
  ///
  /// @param epoch the newest epoch an entry came from; 0 = no entry yet
  /// @param lastSeq the highest number of an entry of that epoch
  /// @param gaps numbers of that epoch below it that have not come
  public record Position(long epoch, long lastSeq, long gaps) {}
}
