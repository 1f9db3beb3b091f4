package fairgate.sale;

import fairgate.catalog.Product;
import fairgate.kernel.ProductId;
import fairgate.kernel.ServiceUnavailable;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.stream.Collectors;

/// Runs steps for sales and skips Redis nodes that have failed: a node that is away affects its own
/// sales only. With a single Redis the first failure ends the work.
final class PerNode {
  private final Function<ProductId, String> nodeOf;
  private final Map<String, ServiceUnavailable> away = new HashMap<>();

  /// @param nodeOf the node that has a product's sale
  PerNode(Function<ProductId, String> nodeOf) {
    this.nodeOf = nodeOf;
  }

  /// Runs the step for the products of each node together, in chunks, while the node has not
  /// failed.
  void together(Collection<Product> products, int max, Consumer<List<Product>> step) {
    products.stream()
        .collect(Collectors.groupingBy(product -> nodeOf.apply(product.id())))
        .forEach(
            (node, its) -> {
              for (int from = 0; from < its.size(); from += Math.min(max, its.size())) {
                List<Product> some = its.subList(from, Math.min(its.size() - from, max) + from);
                attempt(node, () -> step.accept(some));
              }
            });
  }

  private void attempt(String node, Runnable step) {
    if (!away.containsKey(node)) {
      try {
        step.run();
      } catch (ServiceUnavailable e) {
        away.put(node, e);
      }
    }
  }

  /// Throws one of the failures, if there was any.
  void finish() {
    for (ServiceUnavailable failure : away.values()) {
      throw failure;
    }
  }
}
