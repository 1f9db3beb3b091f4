package fairgate.redeem;

import fairgate.platform.postgres.PostgresDatabase;
import fairgate.platform.run.Batcher;
import fairgate.redeem.Verification.StoredOrder;
import fairgate.redeem.orders.KnownOrder;
import fairgate.redeem.orders.OrderNumberFormats;
import io.vertx.sqlclient.Row;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/// Looks up order numbers: stored orders of any source and redemptions, many numbers per statement.
final class PostgresStoredOrders {
  private static final int MAX_BATCH_SIZE = 256;
  private static final int MAX_CONCURRENT_BATCHES = 3;

  /// The laterals with their limits make every number one look into each index, whatever the
  /// planner believes of the tables' sizes.
  private static final String FIND =
      """
      SELECT q.n, q.platform, o.order_id, o.product_id, o.status, o.expires_at AS order_expires_at,
             r.device_id, r.device, r.state, r.key_id, r.code_hash, r.code_box,
             r.expires_at, r.duration_days,
             EXISTS (SELECT FROM redemption_codes w
                     WHERE w.platform = q.platform AND w.order_id = q.order_id
                       AND w.product_id = o.product_id AND w.state = 'available') AS waiting
      FROM unnest($1::int[], $2::text[], $3::text[]) AS q (n, platform, order_id)
      CROSS JOIN LATERAL (
        SELECT o.order_id, o.product_id, o.status, o.expires_at FROM orders o
        WHERE o.platform = q.platform AND o.order_id = q.order_id
        ORDER BY o.product_id LIMIT 1000) o
      LEFT JOIN LATERAL (
        SELECT r.device_id, r.device, c.state, c.key_id, c.code_hash, c.code_box, c.expires_at,
               c.duration_days
        FROM order_redemptions r JOIN redemption_codes c ON c.id = r.code_id
        WHERE r.platform = q.platform AND r.order_id = q.order_id AND r.product_id = o.product_id
        LIMIT 1) r ON true
      """;

  private static final String OTHER_CASE =
      """
      SELECT order_id FROM orders
      WHERE lower(order_id) = lower($1) AND platform <> 'fairgate' AND order_id <> lower(order_id)
        AND platform = ANY($2::text[])
      UNION
      SELECT order_id FROM orders
      WHERE order_id = lower($1) AND platform = ANY($2::text[]) AND platform <> 'fairgate'
      LIMIT 2
      """;

  private final PostgresDatabase database;
  private final Batcher<OrderKey, List<StoredOrder>> batcher;

  /// An order number and the platforms it may belong to.
  private record OrderKey(String orderId, List<String> platforms) {}

  PostgresStoredOrders(PostgresDatabase database) {
    this.database = database;
    this.batcher =
        Batcher.blocking("claim-lookups", MAX_BATCH_SIZE, MAX_CONCURRENT_BATCHES, this::findAll);
  }

  /// The stored data of an order number by platform and product, without platforms that have none.
  /// Blocks.
  List<StoredOrder> find(String orderId, List<String> platforms) {
    return batcher.call(new OrderKey(orderId, platforms));
  }

  /// How a number is written that is known in other capitals and small letters only; empty when it
  /// is unknown, and when several are that differ in nothing else. Blocks.
  Optional<String> otherCase(String orderId, List<String> platforms) {
    Object names = platforms.toArray(String[]::new);
    List<Row> found = database.query(OTHER_CASE, orderId, names).await();
    return found.size() == 1 ? Optional.of(found.getFirst().getString(0)) : Optional.empty();
  }

  private List<List<StoredOrder>> findAll(List<OrderKey> numbers) {
    List<Integer> places = new ArrayList<>();
    List<String> platforms = new ArrayList<>();
    List<String> orders = new ArrayList<>();
    List<List<StoredOrder>> found = new ArrayList<>();
    for (int i = 0; i < numbers.size(); i++) {
      for (String platform : numbers.get(i).platforms()) {
        places.add(i);
        platforms.add(platform);
        orders.add(numbers.get(i).orderId());
      }
      found.add(new ArrayList<>(1));
    }
    List<Row> rows =
        database
            .query(
                FIND,
                places.toArray(Integer[]::new),
                platforms.toArray(String[]::new),
                orders.toArray(String[]::new))
            .await();
    for (Row row : rows) {
      found.get(row.getInteger(0)).add(standing(row));
    }
    return found;
  }

  private static StoredOrder standing(Row row) {
    String platform = row.getString(1);
    String status = row.getString(4);
    KnownOrder order =
        platform.equals(OrderNumberFormats.OWN)
            ? null
            : new KnownOrder(
                platform,
                row.getString(2),
                row.getString(3),
                KnownOrder.State.of(status),
                instant(row.getOffsetDateTime(5)));
    return new StoredOrder(platform, row.getString(3), order, row.getBoolean(14), redeemed(row));
  }

  private static StoredOrder.@Nullable Redeemed redeemed(Row row) {
    String state = row.getString(8);
    // The code's own row follows a moment after the refund.
    boolean refunded = "assigned".equals(state) && "refunded".equals(row.getString(4));
    return state == null
        ? null
        : new StoredOrder.Redeemed(
            row.getString(6),
            row.getString(7),
            refunded ? "revoked" : state,
            row.getString(9),
            row.getBuffer(10).getBytes(),
            row.getBuffer(11).getBytes(),
            instant(row.getOffsetDateTime(12)),
            row.getInteger(13));
  }

  private static @Nullable Instant instant(@Nullable OffsetDateTime time) {
    return time == null ? null : time.toInstant();
  }
}
