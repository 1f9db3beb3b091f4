package fairgate.sale.ledger;

import fairgate.kernel.Money;
import fairgate.platform.postgres.Db;
import fairgate.sale.ledger.LedgerEvent.Edge;
import java.time.Instant;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// Writes the table `refunds` for the ledger. A payment of an order, and each part of it, is due at
/// most once, and never again after its refund.
final class RefundRows {
  private static final String DUE =
      """
      INSERT INTO refunds (order_id, payment_id, part, amount, currency, cause, state)
      SELECT *, 'due' FROM unnest($1::text[], $2::text[], $3::text[], $4::bigint[], $5::text[],
        $6::text[])
      ON CONFLICT (order_id, payment_id, part) DO UPDATE SET cause = excluded.cause,
        state = CASE refunds.state WHEN 'unplaced' THEN 'due' ELSE refunds.state END
      WHERE refunds.cause = '' OR refunds.state = 'unplaced'
      """;
  private static final String DONE =
      """
      INSERT INTO refunds (order_id, payment_id, part, amount, currency, cause, done_at, state, answer)
      SELECT *, 'done', 'refunded' FROM unnest($1::text[], $2::text[], $3::text[], $4::bigint[],
        $5::text[], $6::text[], $7::timestamptz[])
      ON CONFLICT (order_id, payment_id, part) DO UPDATE SET state = 'done',
        answer = CASE refunds.state WHEN 'due' THEN 'refunded' ELSE refunds.answer END,
        amount = excluded.amount, currency = excluded.currency,
        done_at = least(refunds.done_at, excluded.done_at)
      """;

  private record Refund(Edge edge, Instant at) {
    Money money() {
      Money refund = edge.why().refund();
      return refund == null ? new Money(edge.amount(), edge.currency()) : refund;
    }
  }

  private RefundRows() {}

  static void write(Db db, List<LedgerEvent> events) {
    Map<String, Refund> due = new LinkedHashMap<>();
    Map<String, Refund> done = new LinkedHashMap<>();
    for (LedgerEvent event : events) {
      Edge edge = event.order();
      switch (event.kind()) {
        case REFUND_DUE -> add(due, edge, event.at());
        case REFUNDED -> add(done, edge, event.at());
        case RESERVED, EXTENDED, CONFIRMED, RELEASED, STOCK -> {}
      }
    }
    if (!due.isEmpty()) {
      write(db, DUE, due.values(), false);
    }
    if (!done.isEmpty()) {
      write(db, DONE, done.values(), true);
    }
  }

  private static void add(Map<String, Refund> refunds, @Nullable Edge edge, Instant at) {
    if (edge != null && !edge.why().payment().isEmpty()) {
      refunds.merge(
          edge.id() + ' ' + edge.why().payment() + ' ' + edge.why().part(),
          new Refund(edge, at),
          (a, b) -> a.at().isAfter(b.at()) ? b : a);
    }
  }

  private static void write(Db db, String sql, Collection<Refund> refunds, boolean dated) {
    Columns<Refund> columns = new Columns<>(List.copyOf(refunds));
    Object orders = columns.texts(r -> r.edge().id());
    Object payments = columns.texts(r -> r.edge().why().payment());
    Object parts = columns.texts(r -> r.edge().why().part());
    Object amounts = columns.longs(r -> r.money().minorUnits());
    Object currencies = columns.texts(r -> r.money().currency());
    Object causes = columns.texts(r -> r.edge().why().reason());
    if (dated) {
      db.update(
          sql, orders, payments, parts, amounts, currencies, causes, columns.times(Refund::at));
    } else {
      db.update(sql, orders, payments, parts, amounts, currencies, causes);
    }
  }
}
