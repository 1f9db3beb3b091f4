package fairgate.catalog;

import java.util.List;

/// What became of an operator's wish to change the catalog.
public sealed interface CatalogOutcome {
  /// Done. `product` is as it stands now.
  record Done(Product product) implements CatalogOutcome {}

  /// Nothing had to change: a repeat of what was done before.
  record Unchanged(Product product) implements CatalogOutcome {}

  /// There is no such product.
  record UnknownProduct() implements CatalogOutcome {}

  /// A product with this id exists and differs.
  record Exists(Product product) implements CatalogOutcome {}

  /// The sale is in a state that does not allow it.
  record StateConflict(ProductState state) implements CatalogOutcome {}

  /// What was sent cannot be.
  record Invalid(List<PolicyProblem> problems) implements CatalogOutcome {}
}
