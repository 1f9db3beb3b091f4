package fairgate.redeem.code;

import fairgate.platform.postgres.Db;
import io.vertx.core.buffer.Buffer;
import io.vertx.sqlclient.Row;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;

/// Sellers' codes in the table `redemption_codes`.
final class PostgresSellerCodes {
  private static final String BY_HASH =
      """
      SELECT code_hash, platform, order_id FROM redemption_codes
      WHERE code_hash = ANY($1::bytea[])""";

  private static final String TAKEN =
      """
      SELECT o.platform, o.order_id
      FROM unnest($1::text[], $2::text[]) AS o (platform, order_id)
      WHERE EXISTS (SELECT FROM order_redemptions r
                    WHERE r.platform = o.platform AND r.order_id = o.order_id)
         OR EXISTS (SELECT FROM redemption_codes c
                    WHERE c.platform = o.platform AND c.order_id = o.order_id
                      AND c.state = 'available')""";

  private static final String INSERT =
      """
      WITH born AS (
        INSERT INTO redemption_codes
          (platform, order_id, product_id, code_hash, code_box, last4, key_id, source, state)
        SELECT n.*, $7, 'seller', 'available'
        FROM unnest($1::text[], $2::text[], $3::text[], $4::bytea[], $5::bytea[], $6::text[]) AS n
        RETURNING id)
      INSERT INTO code_events (code_id, to_state, actor, reason)
      SELECT id, 'available', $8, 'bound at import' FROM born""";

  private PostgresSellerCodes() {}

  /// An order's name inside this class.
  private record Order(String platform, String id) {
    static Order of(SellerCode code) {
      return new Order(code.platform(), code.orderId());
    }
  }

  static List<BindOutcome> bind(Db db, CodeVault vault, List<SellerCode> codes, String actor) {
    List<List<byte[]>> hashes = codes.stream().map(code -> vault.hashes(code.code())).toList();
    Map<Buffer, Order> owners = owners(db, hashes);
    Set<Order> taken = taken(db, codes);
    List<BindOutcome> outcomes = new ArrayList<>();
    List<SellerCode> fresh = new ArrayList<>();
    for (int i = 0; i < codes.size(); i++) {
      Order order = Order.of(codes.get(i));
      Order owner =
          hashes.get(i).stream()
              .map(hash -> owners.get(Buffer.buffer(hash)))
              .filter(java.util.Objects::nonNull)
              .findFirst()
              .orElse(null);
      if (owner != null) {
        outcomes.add(
            owner.equals(order) ? new BindOutcome.Repeated() : new BindOutcome.CodeTaken());
      } else if (!taken.add(order)) {
        outcomes.add(new BindOutcome.OrderTaken());
      } else {
        owners.put(Buffer.buffer(hashes.get(i).getFirst()), order);
        fresh.add(codes.get(i));
        outcomes.add(new BindOutcome.Bound());
      }
    }
    insert(db, vault, fresh, actor);
    return outcomes;
  }

  private static Map<Buffer, Order> owners(Db db, List<List<byte[]>> hashes) {
    Object all = hashes.stream().flatMap(List::stream).map(Buffer::buffer).toArray(Buffer[]::new);
    Map<Buffer, Order> owners = new HashMap<>();
    for (Row row : db.query(BY_HASH, all)) {
      owners.put(
          row.getBuffer(0),
          new Order(String.valueOf(row.getString(1)), String.valueOf(row.getString(2))));
    }
    return owners;
  }

  private static Set<Order> taken(Db db, List<SellerCode> codes) {
    Set<Order> taken = new HashSet<>();
    Object platforms = texts(codes.stream().map(SellerCode::platform));
    Object orders = texts(codes.stream().map(SellerCode::orderId));
    for (Row row : db.query(TAKEN, platforms, orders)) {
      taken.add(new Order(row.getString(0), row.getString(1)));
    }
    return taken;
  }

  private static void insert(Db db, CodeVault vault, List<SellerCode> codes, String actor) {
    if (codes.isEmpty()) {
      return;
    }
    List<CodeVault.Sealed> sealed = codes.stream().map(code -> vault.seal(code.code())).toList();
    db.update(
        INSERT,
        texts(codes.stream().map(SellerCode::platform)),
        texts(codes.stream().map(SellerCode::orderId)),
        texts(codes.stream().map(SellerCode::productId)),
        sealed.stream().map(s -> Buffer.buffer(s.hash())).toArray(Buffer[]::new),
        sealed.stream().map(s -> Buffer.buffer(s.box())).toArray(Buffer[]::new),
        texts(sealed.stream().map(CodeVault.Sealed::last4)),
        vault.currentKey(),
        actor);
  }

  private static Object texts(Stream<String> texts) {
    Object[] all = texts.toArray();
    return Arrays.copyOf(all, all.length, String[].class);
  }
}
