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
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/// Sellers' codes in the table `redemption_codes`.
final class PostgresSellerCodes {
  private static final String BY_HASH =
      """
      SELECT code_hash, platform, order_id, product_id, state FROM redemption_codes
      WHERE code_hash = ANY($1::bytea[])\
      """;

  private static final String TAKEN =
      """
      SELECT o.platform, o.order_id, o.product_id
      FROM unnest($1::text[], $2::text[], $3::text[]) AS o (platform, order_id, product_id)
      WHERE EXISTS (SELECT FROM order_redemptions r
                    WHERE r.platform = o.platform AND r.order_id = o.order_id
                      AND r.product_id = o.product_id)
         OR EXISTS (SELECT FROM redemption_codes c
                    WHERE c.platform = o.platform AND c.order_id = o.order_id
                      AND c.product_id = o.product_id AND c.state = 'available')\
      """;

  private static final String INSERT =
      """
      WITH born AS (
        INSERT INTO redemption_codes
          (platform, order_id, product_id, code_hash, code_box, last4, key_id, source, state)
        SELECT n.*, $7, 'seller', 'available'
        FROM unnest($1::text[], $2::text[], $3::text[], $4::bytea[], $5::bytea[], $6::text[]) AS n
        RETURNING id)
      INSERT INTO code_events (code_id, to_state, actor, reason)
      SELECT id, 'available', $8, 'bound at import' FROM born\
      """;

  private static final String MOVE =
      """
      UPDATE redemption_codes c SET product_id = n.product_id
      FROM unnest($1::bytea[], $2::text[]) AS n (code_hash, product_id)
      WHERE c.code_hash = n.code_hash AND c.state = 'available'\
      """;

  private PostgresSellerCodes() {}

  /// A product of an order, and the code that is bound to it.
  ///
  /// @param waiting whether the code waits to be given out
  private record Owner(Line line, Buffer hash, boolean waiting) {}

  private record Line(String platform, String order, String product) {
    static Line of(SellerCodes.SellerCode code) {
      return new Line(code.platform(), code.orderId(), code.productId());
    }

    boolean isOfOrder(Line other) {
      return platform.equals(other.platform) && order.equals(other.order);
    }
  }

  static List<SellerCodes.BindOutcome> bind(
      Db db, CodeVault vault, List<SellerCodes.SellerCode> codes, String actor) {
    Work work = new Work(codes, owners(db, vault, codes), taken(db, codes));
    List<SellerCodes.BindOutcome> outcomes = new ArrayList<>();
    for (SellerCodes.SellerCode code : codes) {
      outcomes.add(work.bind(code, vault.hashes(code.code())));
    }
    insert(db, vault, work.fresh, actor);
    move(db, work.moved);
    return outcomes;
  }

  /// The intermediate results of one call.
  private static final class Work {
    private final Set<Line> named;
    private final Map<Buffer, Owner> owners;
    private final Set<Line> taken;
    private final List<SellerCodes.SellerCode> fresh = new ArrayList<>();
    private final Map<Buffer, String> moved = new HashMap<>();

    Work(List<SellerCodes.SellerCode> codes, Map<Buffer, Owner> owners, Set<Line> taken) {
      this.named = codes.stream().map(Line::of).collect(Collectors.toSet());
      this.owners = owners;
      this.taken = taken;
    }

    SellerCodes.BindOutcome bind(SellerCodes.SellerCode code, List<byte[]> hashes) {
      Line line = Line.of(code);
      Optional<Owner> owner =
          hashes.stream().map(Buffer::buffer).map(owners::get).filter(Objects::nonNull).findFirst();
      if (owner.isPresent()) {
        return again(line, owner.get());
      }
      if (!taken.add(line)) {
        return new SellerCodes.BindOutcome.OrderTaken();
      }
      Buffer hash = Buffer.buffer(hashes.getFirst());
      owners.put(hash, new Owner(line, hash, true));
      fresh.add(code);
      return new SellerCodes.BindOutcome.Bound();
    }

    /// If the file corrects the order's product, a reserved code moves to the new product.
    private SellerCodes.BindOutcome again(Line line, Owner owner) {
      if (owner.line().equals(line)) {
        return new SellerCodes.BindOutcome.Repeated();
      }
      if (!owner.line().isOfOrder(line) || !owner.waiting() || named.contains(owner.line())) {
        return new SellerCodes.BindOutcome.CodeTaken();
      }
      if (!taken.add(line)) {
        return new SellerCodes.BindOutcome.OrderTaken();
      }
      owners.put(owner.hash(), new Owner(line, owner.hash(), true));
      moved.put(owner.hash(), line.product());
      return new SellerCodes.BindOutcome.Repeated();
    }
  }

  private static Map<Buffer, Owner> owners(
      Db db, CodeVault vault, List<SellerCodes.SellerCode> codes) {
    Object all =
        codes.stream()
            .flatMap(code -> vault.hashes(code.code()).stream())
            .map(Buffer::buffer)
            .toArray(Buffer[]::new);
    Map<Buffer, Owner> owners = new HashMap<>();
    for (Row row : db.query(BY_HASH, all)) {
      Line line =
          new Line(
              String.valueOf(row.getString(1)), String.valueOf(row.getString(2)), row.getString(3));
      Buffer hash = row.getBuffer(0);
      owners.put(hash, new Owner(line, hash, row.getString(4).equals("available")));
    }
    return owners;
  }

  private static Set<Line> taken(Db db, List<SellerCodes.SellerCode> codes) {
    Set<Line> taken = new HashSet<>();
    Object platforms = texts(codes.stream().map(SellerCodes.SellerCode::platform));
    Object orders = texts(codes.stream().map(SellerCodes.SellerCode::orderId));
    Object products = texts(codes.stream().map(SellerCodes.SellerCode::productId));
    for (Row row : db.query(TAKEN, platforms, orders, products)) {
      taken.add(new Line(row.getString(0), row.getString(1), row.getString(2)));
    }
    return taken;
  }

  private static void move(Db db, Map<Buffer, String> moved) {
    if (!moved.isEmpty()) {
      List<Buffer> hashes = List.copyOf(moved.keySet());
      Object keys = hashes.toArray(Buffer[]::new);
      db.update(MOVE, keys, texts(hashes.stream().map(moved::get)));
    }
  }

  private static void insert(
      Db db, CodeVault vault, List<SellerCodes.SellerCode> codes, String actor) {
    if (codes.isEmpty()) {
      return;
    }
    List<CodeVault.Sealed> sealed = codes.stream().map(code -> vault.seal(code.code())).toList();
    db.update(
        INSERT,
        texts(codes.stream().map(SellerCodes.SellerCode::platform)),
        texts(codes.stream().map(SellerCodes.SellerCode::orderId)),
        texts(codes.stream().map(SellerCodes.SellerCode::productId)),
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
