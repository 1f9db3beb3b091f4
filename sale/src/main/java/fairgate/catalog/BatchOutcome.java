package fairgate.catalog;

/// The outcome of adding units to a sale.
public sealed interface BatchOutcome {
  /// The units are planned: due at once in an open sale, else at its opening.
  record Added(StockBatch batch) implements BatchOutcome {}

  /// A batch with this key and number of units was added before; nothing changed.
  record Repeated(StockBatch batch) implements BatchOutcome {}

  /// The key was used for another number of units.
  record KeyTaken(StockBatch batch) implements BatchOutcome {}

  /// There is no such product.
  record UnknownProduct() implements BatchOutcome {}

  /// The sale is closed.
  record StateConflict(ProductState state) implements BatchOutcome {}

  /// The number of units or the key is out of bounds.
  record Invalid(PolicyProblem problem) implements BatchOutcome {}
}
