package fairgate.sale;

import fairgate.catalog.Product;
import fairgate.kernel.ProductId;
import fairgate.kernel.ServiceUnavailable;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.Function;

/// Work on sales, one after the other, that goes on past a Redis node that is away: it takes its
/// own sales with it and no others. With a single Redis the first failure ends the work.
final class PerNode {
  private final Function<ProductId, String> nodeOf;
  private final Map<String, ServiceUnavailable> away = new HashMap<>();

  /// @param nodeOf the node that has a product's sale
  PerNode(Function<ProductId, String> nodeOf) {
    this.nodeOf = nodeOf;
  }

  /// Does the step for every product whose node has not failed yet.
  void each(Collection<Product> products, Consumer<Product> step) {
    for (Product product : products) {
      String node = nodeOf.apply(product.id());
      if (!away.containsKey(node)) {
        try {
          step.accept(product);
        } catch (ServiceUnavailable e) {
          away.put(node, e);
        }
      }
    }
  }

  /// Does the step once for every node that has not failed yet, with any one of its products.
  void once(Collection<Product> products, Consumer<Product> step) {
    Set<String> seen = new HashSet<>();
    each(products.stream().filter(p -> seen.add(nodeOf.apply(p.id()))).toList(), step);
  }

  /// Throws a failure, if there was one.
  void finish() {
    for (ServiceUnavailable failure : away.values()) {
      throw failure;
    }
  }
}
