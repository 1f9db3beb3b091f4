package fairgate.catalog;

/// What became of adding units to a sale.
public sealed interface BatchOutcome {
  /// The units stand in the plan: at once for an open sale, else at its opening.
  record Added(StockBatch batch) implements BatchOutcome {}

  /// A batch with this key and so many units was added before; nothing has changed.
  record Repeated(StockBatch batch) implements BatchOutcome {}

  /// The key was used for another number of units.
  record KeyTaken(StockBatch batch) implements BatchOutcome {}

  /// There is no such product.
  record UnknownProduct() implements BatchOutcome {}

  /// The sale is over.
  record StateConflict(ProductState state) implements BatchOutcome {}

  /// The number of units or the key is out of bounds.
  record Invalid(PolicyProblem problem) implements BatchOutcome {}
}
