package fairgate.catalog;

/// The outcome of adding units to a sale.
public sealed interface BatchOutcome {
  /// The units are planned: due at once in an open sale, else at its opening.
  ///
  /// @param isAfterDraw whether a draw of the sale runs: its units were fixed when it was
  ///   announced, so nobody can buy these before it is over
  record Added(StockBatch batch, boolean isAfterDraw) implements BatchOutcome {}

  /// A batch with this key and number of units was added before; nothing changed.
  ///
  /// @param isAfterDraw as in [Added], at present
  record Repeated(StockBatch batch, boolean isAfterDraw) implements BatchOutcome {}

  /// The key was used for another number of units.
  record KeyTaken(StockBatch batch) implements BatchOutcome {}

  /// There is no such product.
  record UnknownProduct() implements BatchOutcome {}

  /// The sale is closed.
  record StateConflict(ProductState state) implements BatchOutcome {}

  /// The number of units or the key is out of bounds.
  record Invalid(PolicyProblem problem) implements BatchOutcome {}
}
