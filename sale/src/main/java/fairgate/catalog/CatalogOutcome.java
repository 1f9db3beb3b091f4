package fairgate.catalog;

import java.util.List;
import java.util.SortedMap;

/// The outcome of an operator's change of the catalog.
public sealed interface CatalogOutcome {
  /// Done. `product` is the new state.
  record Done(Product product) implements CatalogOutcome {}

  /// Nothing had to change: a repeat of an earlier change.
  record Unchanged(Product product) implements CatalogOutcome {}

  /// There is no such product.
  record UnknownProduct() implements CatalogOutcome {}

  /// A product with this id exists and differs.
  record Exists(Product product) implements CatalogOutcome {}

  /// The state of the sale does not allow the change.
  record StateConflict(ProductState state) implements CatalogOutcome {}

  /// The sale is open or paused, and the change affects its buyers and was not confirmed. Nothing
  /// changed.
  ///
  /// @param changes by the name to confirm: `payment`, `price`, `currency`, `deposit`, `preset`,
  ///   `identity`
  record Unconfirmed(SortedMap<String, Change> changes) implements CatalogOutcome {}

  /// A value before and after.
  record Change(String from, String to) {}

  /// The values are not valid.
  record Invalid(List<PolicyProblem> problems) implements CatalogOutcome {}
}
