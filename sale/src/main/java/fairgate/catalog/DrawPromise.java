package fairgate.catalog;

import fairgate.catalog.Product.Details;
import fairgate.catalog.Product.Draft;
import fairgate.catalog.SalePolicy.Limits;
import fairgate.kernel.ProductId;
import fairgate.platform.postgres.Db;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/// What a sale has promised to the people in its draw: the units, the terms of buying them, and
/// that the sale stays open. Calls belong to a transaction that has locked the product, which
/// announcing a draw locks too.
final class DrawPromise {
  private static final String IS_ON =
      """
      SELECT 1 FROM draws WHERE product_id = $1 AND state NOT IN ('ended', 'aborted')
      """;

  /// $2 in seconds since 1970.
  private static final String IS_ON_UNTIL =
      IS_ON + " AND (rules::jsonb ->> 'allocate_until')::bigint <= $2";

  private DrawPromise() {}

  static boolean isOn(Db db, ProductId product) {
    return !db.query(IS_ON, product.value()).isEmpty();
  }

  /// The fields whose change a draw that runs does not allow; empty while none runs.
  static List<PolicyProblem> broken(Db db, Product was, Draft draft) {
    List<String> fields = worse(was, draft);
    if (fields.isEmpty() || !isOn(db, was.id())) {
      return List.of();
    }
    if (isAfterOffers(db, was.id(), draft.policy().schedule().closesAt())) {
      fields.remove("closes_at");
    }
    return fields.stream().map(field -> PolicyProblem.of(field, "draw_is_on")).toList();
  }

  /// Whether the draw makes its last offer before the sale closes. Offers can be used after that.
  private static boolean isAfterOffers(Db db, ProductId product, @Nullable Instant closes) {
    return closes != null
        && !db.query(IS_ON_UNTIL, product.value(), closes.getEpochSecond()).isEmpty();
  }

  private static List<String> worse(Product was, Draft draft) {
    List<String> fields = new ArrayList<>();
    Details had = was.details();
    SalePolicy old = was.policy();
    SalePolicy fresh = draft.policy();
    Limits limits = fresh.limits();
    add(fields, "total_stock", draft.details().totalStock() < had.totalStock());
    add(fields, "pre_queue", old.fairness().preQueue() != fresh.fairness().preQueue());
    add(fields, "max_quantity", limits.maxQuantity() < old.limits().maxQuantity());
    add(fields, "max_per_user", isLower(limits.maxPerUser(), old.limits().maxPerUser()));
    add(fields, "max_per_device", isLower(limits.maxPerDevice(), old.limits().maxPerDevice()));
    add(fields, "identity", old.fairness().identity() != fresh.fairness().identity());
    long price = draft.details().price().minorUnits();
    add(fields, "price", price != had.price().minorUnits());
    String currency = draft.details().price().currency();
    add(fields, "currency", !currency.equals(had.price().currency()));
    add(fields, "payment", old.payment().required() != fresh.payment().required());
    add(fields, "deposit", !Objects.equals(old.payment().deposit(), fresh.payment().deposit()));
    add(
        fields,
        "payment_window_seconds",
        old.payment().required()
            && isLower(fresh.payment().windowSeconds(), old.payment().windowSeconds()));
    // Winners did not join, so their places have no device key.
    add(
        fields,
        "device_key",
        fresh.fairness().deviceKeyRequired() && !old.fairness().deviceKeyRequired());
    Instant opens = fresh.schedule().opensAt();
    add(fields, "opens_at", isLater(opens, old.schedule().opensAt()));
    Instant closes = fresh.schedule().closesAt();
    add(fields, "closes_at", isEarlier(closes, old.schedule().closesAt()));
    return fields;
  }

  private static void add(List<String> fields, String field, boolean isWorse) {
    if (isWorse) {
      fields.add(field);
    }
  }

  private static boolean isLower(@Nullable Integer limit, @Nullable Integer than) {
    return limit != null && (than == null || limit < than);
  }

  private static boolean isLater(@Nullable Instant start, @Nullable Instant than) {
    return start != null && (than == null || start.isAfter(than));
  }

  private static boolean isEarlier(@Nullable Instant end, @Nullable Instant than) {
    return end != null && (than == null || end.isBefore(than));
  }
}
