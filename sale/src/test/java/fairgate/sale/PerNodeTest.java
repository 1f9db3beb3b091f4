package fairgate.sale;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import fairgate.catalog.Product;
import fairgate.catalog.ProductContent;
import fairgate.catalog.ProductState;
import fairgate.catalog.SalePolicy;
import fairgate.kernel.Money;
import fairgate.kernel.ProductId;
import fairgate.kernel.ServiceUnavailable;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class PerNodeTest {
  private static final Map<String, String> NODES = Map.of("1", "a", "2", "b", "3", "a", "4", "b");
  private static final List<Product> PRODUCTS =
      Stream.of("1", "2", "3", "4").map(PerNodeTest::product).toList();

  private final PerNode nodes =
      new PerNode(id -> Objects.requireNonNull(NODES.get(id.value()), "a product of the test"));
  private final List<String> asked = new ArrayList<>();

  private static Product product(String id) {
    return new Product(
        new ProductId(id),
        new Product.Details("Ticket", "", new Money(1, "TWD"), 1, null),
        SalePolicy.Preset.FLASH.policy(),
        1,
        ProductState.OPEN,
        1,
        null,
        ProductContent.EMPTY);
  }

  private void ask(Product product) {
    asked.add(product.id().value());
    if (product.id().value().equals("1")) {
      throw new ServiceUnavailable("away", Duration.ZERO);
    }
  }

  @Test
  void aNodeThatIsAwayIsAskedOnceAndTheOthersAreServed() {
    nodes.together(PRODUCTS, 1, some -> ask(some.getFirst()));
    assertThat(asked).containsExactlyInAnyOrder("1", "2", "4");
    nodes.together(PRODUCTS, 1, some -> ask(some.getFirst()));
    assertThat(asked).containsExactlyInAnyOrder("1", "2", "4", "2", "4");
    assertThatThrownBy(nodes::finish).isInstanceOf(ServiceUnavailable.class);
  }

  @Test
  void theProductsOfANodeAreServedTogetherSoManyAtATime() {
    List<List<Product>> served = new ArrayList<>();
    nodes.together(PRODUCTS, 1, some -> served.add(some));
    assertThat(served).hasSize(4).allSatisfy(some -> assertThat(some).hasSize(1));
    served.clear();
    nodes.together(PRODUCTS, Integer.MAX_VALUE, some -> served.add(some));
    assertThat(served)
        .containsExactlyInAnyOrder(
            List.of(PRODUCTS.get(0), PRODUCTS.get(2)), List.of(PRODUCTS.get(1), PRODUCTS.get(3)));
    nodes.finish();
  }
}
