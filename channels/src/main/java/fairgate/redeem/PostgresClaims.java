package fairgate.redeem;

import fairgate.platform.postgres.PostgresDatabase;
import fairgate.platform.postgres.PostgresRefusal;
import fairgate.platform.run.Batcher;
import fairgate.redeem.ClaimService.Claim;
import fairgate.redeem.code.CodeVault.Sealed;
import fairgate.redeem.orders.KnownOrder;
import io.vertx.core.buffer.Buffer;
import io.vertx.sqlclient.Row;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;

/// Writes claims in batches. A statement is a transaction: it takes a shared lock of the order's
/// row, so that the order cannot change, writes its redemption unless there is one, and then its
/// code and event. The unique constraint of `order_redemptions` decides which of two claims wins.
final class PostgresClaims {
  private static final int MAX_BATCH_SIZE = 128;
  private static final int MAX_CONCURRENT_BATCHES = 3;
  private static final String CODE_TAKEN = "redemption_codes_unique";

  /// All statements go through orders in the same order, so that none waits for another in a
  /// circle. The id of a new code is drawn before the code is written, for a loser writes none.
  private static final String CLAIM =
      """
      WITH item AS (
        SELECT * FROM unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::text[], $6::text[],
          $7::bytea[], $8::bytea[], $9::text[], $10::int[], $11::text[], $12::timestamptz[], $15::boolean[])
          AS i (platform, order_id, product_id, device_id, device, address, code_hash, code_box,
            last4, duration_days, starts, expires_at, sellers_only)),
      standing AS (
        SELECT i.platform, i.order_id, i.product_id, i.device_id, i.device, i.address, w.id AS waiting
        FROM item i
        CROSS JOIN LATERAL (
          SELECT o.status, o.expires_at FROM orders o
          WHERE o.platform = i.platform AND o.order_id = i.order_id
            AND o.product_id = i.product_id FOR SHARE) o
        LEFT JOIN LATERAL (
          SELECT c.id FROM redemption_codes c
          WHERE c.platform = i.platform AND c.order_id = i.order_id AND c.state = 'available'
            AND c.product_id = i.product_id
          LIMIT 1) w ON true
        WHERE o.status = 'paid'
          AND (o.expires_at IS NULL OR o.expires_at > $13)
          AND (w.id IS NOT NULL OR NOT i.sellers_only)),
      won AS (
        INSERT INTO order_redemptions
          (platform, order_id, product_id, device_id, device, ip_address, claimed_at, code_id)
        SELECT platform, order_id, product_id, device_id, device, address, $13,
               coalesce(waiting, nextval('redemption_codes_id_seq'))
        FROM standing
        ON CONFLICT (platform, order_id, product_id) DO NOTHING
        RETURNING platform, order_id, product_id, code_id),
      taken AS (
        UPDATE redemption_codes c SET state = 'assigned', assigned_at = $13, device_id = i.device_id,
          duration_days = i.duration_days, starts = i.starts, expires_at = i.expires_at
        FROM won JOIN item i USING (platform, order_id, product_id)
        WHERE c.id = won.code_id AND c.state = 'available'
        RETURNING c.id, c.code_hash, c.code_box, c.key_id),
      born AS (
        INSERT INTO redemption_codes
          (id, product_id, platform, order_id, code_hash, code_box, key_id, last4, source, state,
           duration_days, starts, device_id, created_at, assigned_at, expires_at)
        SELECT won.code_id, i.product_id, won.platform, won.order_id, i.code_hash, i.code_box, $14,
               i.last4, 'generated', 'assigned', i.duration_days, i.starts, i.device_id, $13, $13,
               i.expires_at
        FROM won JOIN item i USING (platform, order_id, product_id)
        JOIN standing s USING (platform, order_id, product_id) WHERE s.waiting IS NULL),
      history AS (
        INSERT INTO code_events (code_id, from_state, to_state, actor, reason, at)
        SELECT won.code_id, CASE WHEN s.waiting IS NULL THEN NULL ELSE 'available' END, 'assigned',
               'device:' || s.device, 'claim', $13
        FROM won JOIN standing s USING (platform, order_id, product_id))
      SELECT won.platform, won.order_id, won.product_id, taken.code_hash, taken.code_box, taken.key_id
      FROM won LEFT JOIN taken ON taken.id = won.code_id
      """;

  private static final String STORE =
      """
      INSERT INTO orders (platform, order_id, product_id, status, expires_at, paid_at, created_at)
      VALUES ($1, $2, $3, 'paid', $4, NULL, $5) ON CONFLICT (platform, order_id, product_id) DO NOTHING
      """;

  private final PostgresDatabase database;
  private final Batcher<Claim, Optional<Sealed>> batcher;

  PostgresClaims(PostgresDatabase database) {
    this.database = database;
    this.batcher =
        Batcher.blocking("claims", MAX_BATCH_SIZE, MAX_CONCURRENT_BATCHES, this::writeAll);
  }

  /// Another claim has the generated code already; generate a new one.
  static final class CodeTaken extends RuntimeException {
    private static final long serialVersionUID = 1L;

    CodeTaken() {
      super("the code is taken", null, false, false);
    }
  }

  private record Key(String platform, String orderId, String productId) {
    static Key of(Claim claim) {
      return new Key(claim.platform(), claim.orderId(), claim.productId());
    }
  }

  /// Writes a claim of an order the database has. Blocks.
  ///
  /// @return the code given out: the claim's own, or the seller's; empty when the order has been
  ///   redeemed or is not as it was
  Optional<Sealed> write(Claim claim) {
    return batcher.call(claim);
  }

  /// Writes a claim of an order that only its source knows: the order is written down with it, as
  /// it was found. Blocks; answers as `write`.
  Optional<Sealed> write(Claim claim, KnownOrder order) {
    try {
      return database
          .tx(
              db -> {
                db.update(
                    STORE,
                    order.platform(),
                    order.orderId(),
                    order.productId(),
                    order.expiresAt() == null ? null : order.expiresAt().atOffset(ZoneOffset.UTC),
                    claim.now().atOffset(ZoneOffset.UTC));
                return won(List.of(claim), db.query(CLAIM, arguments(List.of(claim))));
              })
          .values()
          .stream()
          .findFirst();
    } catch (PostgresRefusal e) {
      throw CODE_TAKEN.equals(e.constraint()) ? new CodeTaken() : e;
    }
  }

  List<Optional<Sealed>> writeAll(List<Claim> claims) {
    // One per product of an order: a statement cannot lose against itself.
    Map<Key, Claim> first = new HashMap<>();
    claims.forEach(claim -> first.putIfAbsent(Key.of(claim), claim));
    List<Claim> written =
        first.values().stream()
            .sorted(
                Comparator.comparing(Claim::platform)
                    .thenComparing(Claim::orderId)
                    .thenComparing(Claim::productId))
            .toList();
    Map<Key, Sealed> won = run(written);
    return claims.stream()
        .map(
            claim ->
                claim.equals(first.get(Key.of(claim)))
                    ? Optional.ofNullable(won.get(Key.of(claim)))
                    : Optional.<Sealed>empty())
        .toList();
  }

  /// If a code exists already, the statement fails, and each claim is written separately.
  private Map<Key, Sealed> run(List<Claim> claims) {
    try {
      return statement(claims);
    } catch (PostgresRefusal e) {
      if (!CODE_TAKEN.equals(e.constraint())) {
        throw e;
      }
      if (claims.size() == 1) {
        throw new CodeTaken();
      }
    }
    Map<Key, Sealed> won = new HashMap<>();
    for (Claim claim : claims) {
      try {
        won.putAll(statement(List.of(claim)));
      } catch (PostgresRefusal e) {
        if (!CODE_TAKEN.equals(e.constraint())) {
          throw e;
        }
        // It has not been written, so its caller looks again, and draws again.
      }
    }
    return won;
  }

  private Map<Key, Sealed> statement(List<Claim> claims) {
    return won(claims, database.query(CLAIM, arguments(claims)).await());
  }

  private static Map<Key, Sealed> won(List<Claim> claims, List<Row> rows) {
    Map<Key, Sealed> drawn = new HashMap<>();
    claims.forEach(claim -> drawn.put(Key.of(claim), claim.code()));
    Map<Key, Sealed> won = new HashMap<>();
    for (Row row : rows) {
      Key key = new Key(row.getString(0), row.getString(1), row.getString(2));
      Buffer hash = row.getBuffer(3);
      Sealed code =
          hash == null
              ? drawn.get(key)
              : new Sealed(row.getString(5), hash.getBytes(), row.getBuffer(4).getBytes(), "");
      if (code != null) {
        won.put(key, code);
      }
    }
    return won;
  }

  private static Object[] arguments(List<Claim> claims) {
    Claim any = claims.getFirst();
    return new Object[] {
      texts(claims, Claim::platform),
      texts(claims, Claim::orderId),
      texts(claims, Claim::productId),
      texts(claims, claim -> claim.claimant().deviceId()),
      texts(claims, Claim::device),
      texts(claims, claim -> claim.claimant().address()),
      claims.stream().map(claim -> Buffer.buffer(claim.code().hash())).toArray(Buffer[]::new),
      claims.stream().map(claim -> Buffer.buffer(claim.code().box())).toArray(Buffer[]::new),
      texts(claims, claim -> claim.code().last4()),
      claims.stream().map(claim -> claim.terms().durationDays()).toArray(Integer[]::new),
      texts(claims, claim -> claim.terms().starts()),
      claims.stream()
          .map(claim -> claim.terms().expiresAt())
          .map(time -> time == null ? null : time.atOffset(ZoneOffset.UTC))
          .toArray(OffsetDateTime[]::new),
      any.now().atOffset(ZoneOffset.UTC),
      any.code().keyId(),
      claims.stream().map(claim -> claim.terms().sellersOnly()).toArray(Boolean[]::new)
    };
  }

  private static Object texts(List<Claim> claims, Function<Claim, String> column) {
    return claims.stream().map(column).toArray(String[]::new);
  }
}
