package fairgate.sale;

import fairgate.catalog.BuyerField;
import fairgate.catalog.Product;
import fairgate.kernel.KeySeal;
import fairgate.kernel.OrderId;
import fairgate.kernel.ProductId;
import fairgate.platform.postgres.PostgresDatabase;
import fairgate.platform.run.PeriodicJob;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.Function;

/// What buyers give when a product asks for it. The values are encrypted in PostgreSQL, bound to
/// their order. They are erased after the time that the settings name, within the hour after an
/// order ended unpaid, with the buyer's account, and when an operator says so.
///
/// All methods block and are for virtual threads, except `asked` and `asks`.
public final class BuyerDetails implements AutoCloseable {
  public static final String PURPOSE = "order-details";

  private static final Duration PRUNE_EVERY = Duration.ofHours(1);
  private static final int CHUNK = 500;

  private final PostgresBuyerDetails table;
  private final Function<ProductId, Optional<Product>> products;
  private final Duration kept;
  private final PeriodicJob pruning = new PeriodicJob("order details", PRUNE_EVERY, this::prune);

  /// @param products answers from memory
  /// @param kept the age at which the values are erased
  public BuyerDetails(
      PostgresDatabase database,
      KeySeal seal,
      Function<ProductId, Optional<Product>> products,
      Duration kept) {
    this.table = new PostgresBuyerDetails(database, seal);
    this.products = products;
    this.kept = kept;
  }

  public List<BuyerField> asked(ProductId product) {
    return products.apply(product).map(found -> found.content().buyerFields()).orElse(List.of());
  }

  public boolean asks(ProductId product) {
    return !asked(product).isEmpty();
  }

  /// Whether buyers of a product that asks for details get their order without a payment, so that
  /// they are asked afterwards.
  public boolean asksAfterwards(ProductId product) {
    return products
        .apply(product)
        .filter(found -> !found.content().buyerFields().isEmpty())
        .map(found -> !found.policy().payment().required())
        .orElse(false);
  }

  /// Whether a required field of the order's product was not given. Payment starts only after it
  /// was.
  public boolean isMissing(OrderId order) {
    List<BuyerField> required =
        asked(order.product()).stream().filter(BuyerField::required).toList();
    if (required.isEmpty()) {
      return false;
    }
    Map<String, String> given = find(order).map(OrderDetails::values).orElse(Map.of());
    return required.stream().anyMatch(field -> !given.containsKey(field.key()));
  }

  public Optional<OrderDetails> find(OrderId order) {
    return table.find(order);
  }

  /// Keeps what the buyer of an order gave.
  ///
  /// @param user the user as whom the sale counts the buyer
  /// @param again whether it replaces what was given before
  /// @return false if it was given before and is not replaced
  public boolean save(OrderId order, String user, Map<String, String> values, boolean again) {
    return table.save(order, user, values, again);
  }

  /// Erases what the buyer of an order gave; false if there was nothing.
  public boolean erase(OrderId order) {
    return table.erase(order);
  }

  /// Erases what buyers gave.
  ///
  /// @param users the users as whom sales count them
  public void eraseOf(Collection<String> users) {
    table.eraseOf(users);
  }

  /// Passes what the buyers of a product gave to the consumer in chunks, by order. Memory is
  /// bounded by one chunk.
  public void forEachChunk(ProductId product, Consumer<List<OrderDetails>> consumer) {
    String after = "";
    while (true) {
      List<OrderDetails> chunk = table.page(product, after, CHUNK);
      if (!chunk.isEmpty()) {
        consumer.accept(chunk);
        after = chunk.getLast().order().value();
      }
      if (chunk.size() < CHUNK) {
        return;
      }
    }
  }

  /// Erases what is older than the settings allow, and what belongs to orders that ended unpaid.
  void prune() {
    table.prune(kept);
  }

  public void start() {
    pruning.start();
  }

  @Override
  public void close() {
    pruning.close();
  }

  /// What the buyer of an order gave.
  ///
  /// @param values by the key of the field; personal data, never to be logged
  /// @param readable false when the master key that encrypted the values is missing or they were
  ///   altered
  /// @param givenAt when it was given first
  public record OrderDetails(
      OrderId order, Map<String, String> values, boolean readable, Instant givenAt) {
    public OrderDetails {
      values = Map.copyOf(values);
    }

    /// Without the values, so that no log has them.
    @Override
    public String toString() {
      return "OrderDetails[order=" + order.value() + ", values=[redacted]]";
    }
  }
}
