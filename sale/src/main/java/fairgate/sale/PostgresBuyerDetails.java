package fairgate.sale;

import fairgate.kernel.KeySeal;
import fairgate.kernel.KeySeal.Sealed;
import fairgate.kernel.OrderId;
import fairgate.kernel.ProductId;
import fairgate.platform.json.Json;
import fairgate.platform.json.JsonObject;
import fairgate.platform.json.JsonText;
import fairgate.platform.postgres.PostgresDatabase;
import fairgate.sale.BuyerDetails.OrderDetails;
import io.vertx.sqlclient.Row;
import java.time.Duration;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/// The table `order_details`. Times are those of PostgreSQL. Blocks: for virtual threads.
record PostgresBuyerDetails(PostgresDatabase database, KeySeal seal) {
  private static final String COLUMNS = "SELECT order_id, sealed_under, sealed, given_at ";
  private static final String FIND = COLUMNS + "FROM order_details WHERE order_id = $1";
  private static final String PAGE =
      COLUMNS
          + """
          FROM order_details WHERE product_id = $1 AND order_id > $2
          ORDER BY order_id LIMIT $3
          """;
  private static final String ADD =
      """
      INSERT INTO order_details (order_id, product_id, user_id, sealed_under, sealed)
      VALUES ($1, $2, $3, $4, $5) ON CONFLICT (order_id) DO
      """;
  private static final String KEEP = ADD + "NOTHING";
  private static final String REPLACE =
      ADD
          + """
          UPDATE SET sealed_under = excluded.sealed_under, sealed = excluded.sealed,
            changed_at = now()
          """;
  private static final String ERASE = "DELETE FROM order_details WHERE order_id = $1";
  private static final String ERASE_OF = "DELETE FROM order_details WHERE user_id = ANY ($1)";
  private static final int BATCH = 5_000;
  private static final String PRUNE_OLD =
      """
      DELETE FROM order_details WHERE order_id IN (
        SELECT order_id FROM order_details WHERE given_at < now() - $1 * interval '1 second'
        ORDER BY given_at LIMIT $2)
      """;
  private static final String PRUNE_UNPAID =
      """
      DELETE FROM order_details WHERE order_id IN (
        SELECT d.order_id FROM order_details d
        JOIN orders o ON o.platform = 'fairgate' AND o.order_id = d.order_id
        WHERE o.status IN ('cancelled', 'expired') LIMIT $1)
      """;

  Optional<OrderDetails> find(OrderId order) {
    return database.first(FIND, this::details, order.value());
  }

  /// @param after an order id; empty for the first page
  List<OrderDetails> page(ProductId product, String after, int size) {
    return database.list(PAGE, this::details, product.value(), after, size);
  }

  private OrderDetails details(Row row) {
    String order = row.getString("order_id");
    Optional<byte[]> opened =
        seal.open(order, new Sealed(row.getString("sealed_under"), row.getString("sealed")));
    return new OrderDetails(
        new OrderId(order),
        opened.map(PostgresBuyerDetails::values).orElse(Map.of()),
        opened.isPresent(),
        row.getOffsetDateTime("given_at").toInstant());
  }

  private static Map<String, String> values(byte[] bytes) {
    JsonObject json = Json.parseObject(bytes);
    Map<String, String> values = new HashMap<>();
    for (String name : json.names()) {
      values.put(name, String.valueOf(json.get(name)));
    }
    return values;
  }

  boolean save(OrderId order, String user, Map<String, String> values, boolean again) {
    JsonText json = JsonText.object();
    new TreeMap<>(values).forEach(json::put);
    Sealed sealed = seal.seal(order.value(), json.bytes());
    return database.update(
            again ? REPLACE : KEEP,
            order.value(),
            order.product().value(),
            user,
            sealed.under(),
            sealed.box())
        > 0;
  }

  boolean erase(OrderId order) {
    return database.update(ERASE, order.value()) > 0;
  }

  void eraseOf(Collection<String> users) {
    database.update(ERASE_OF, (Object) users.toArray(String[]::new));
  }

  void prune(Duration age) {
    int erased;
    do {
      erased = database.update(PRUNE_OLD, age.toSeconds(), BATCH);
      erased += database.update(PRUNE_UNPAID, BATCH);
    } while (erased >= BATCH);
  }
}
