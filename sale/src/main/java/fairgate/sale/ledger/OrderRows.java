package fairgate.sale.ledger;

import fairgate.platform.postgres.Db;
import fairgate.sale.ledger.LedgerEvent.Edge;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Map;

/// Writes the table `orders` for the ledger.
final class OrderRows {
  private static final String SELECT =
      "SELECT "
          + PostgresOrders.COLUMNS
          + " FROM orders WHERE platform = 'fairgate' AND order_id = ANY($1::text[]) FOR UPDATE";
  private static final String UPSERT =
      """
      INSERT INTO orders (platform, product_id, order_id, session_id, user_id, device, quantity,
        amount, currency, status, version, created_at, pay_by, paid_at, paid_version, payment_id,
        updated_at, deposit_id)
      SELECT 'fairgate', $1, * FROM unnest($2::text[], $3::text[], $4::text[], $5::text[],
        $6::int[], $7::bigint[], $8::text[], $9::text[], $10::int[], $11::timestamptz[],
        $12::timestamptz[], $13::timestamptz[], $14::int[], $15::text[], $16::timestamptz[],
        $17::text[])
      ON CONFLICT (platform, order_id, product_id) DO UPDATE SET
        quantity = excluded.quantity, amount = excluded.amount, currency = excluded.currency,
        status = excluded.status, version = excluded.version, created_at = excluded.created_at,
        pay_by = excluded.pay_by, paid_at = excluded.paid_at,
        paid_version = excluded.paid_version, payment_id = excluded.payment_id,
        updated_at = excluded.updated_at,
        deposit_id = coalesce(orders.deposit_id, excluded.deposit_id)
      """;

  private OrderRows() {}

  /// Merges the stored rows into the drafts.
  static void merge(Db db, Map<String, OrderDraft> orders) {
    Object ids = orders.keySet().toArray(String[]::new);
    db.query(SELECT, ids)
        .forEach(
            row -> {
              LedgerOrder stored = PostgresOrders.order(row);
              OrderDraft draft = orders.get(stored.id().value());
              if (draft != null) {
                LedgerOrder.State standing = stored.standing();
                draft.stored(standing.version(), stored.quantity(), edge(stored));
                draft.pay(
                    standing.paid().version(), standing.paid().at(), standing.paid().payment());
                draft.span(standing.createdAt(), standing.updatedAt());
              }
            });
  }

  private static Edge edge(LedgerOrder stored) {
    return new Edge(
        stored.id().value(),
        stored.buyer(),
        stored.amount().minorUnits(),
        stored.amount().currency(),
        stored.standing().status(),
        stored.standing().payBy(),
        null,
        LedgerEvent.Cause.NONE);
  }

  static void write(Db db, String product, Collection<OrderDraft> orders) {
    // Orders that release units go first, because a session may hold the next one already.
    List<OrderDraft> rows = orders.stream().sorted(Comparator.comparing(OrderDraft::live)).toList();
    Columns<OrderDraft> columns = new Columns<>(rows);
    db.update(
        UPSERT,
        product,
        columns.texts(o -> o.facts().id()),
        columns.texts(o -> o.facts().buyer().session()),
        columns.texts(o -> o.facts().buyer().user()),
        columns.texts(o -> o.facts().buyer().device()),
        columns.ints(OrderDraft::quantity),
        columns.longs(o -> o.facts().amount()),
        columns.texts(o -> o.facts().currency()),
        columns.texts(o -> o.facts().status().wire()),
        columns.ints(OrderDraft::version),
        columns.times(OrderDraft::createdAt),
        columns.times(o -> o.facts().payBy()),
        columns.times(OrderDraft::paidAt),
        columns.ints(OrderDraft::paidVersion),
        columns.texts(OrderDraft::payment),
        columns.times(OrderDraft::updatedAt),
        columns.texts(OrderDraft::deposit));
  }
}
