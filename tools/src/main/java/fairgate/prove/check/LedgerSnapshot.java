package fairgate.prove.check;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Timestamp;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// The ledger of one sale in PostgreSQL.
record LedgerSnapshot(
    Map<String, Order> orders,
    List<Event> events,
    List<Batch> batches,
    List<Refund> refunds,
    Totals totals,
    Rules rules,
    long gaps,
    List<DeadLetter> letters) {

  /// An entry that the ledger refuses.
  record DeadLetter(long epoch, long seq, String order, String error) {
    /// Whether other orders hold its units or its session.
    boolean isCrowdedOut() {
      return error.contains("never_oversold") || error.contains("one_live");
    }
  }

  record Order(
      String id,
      String session,
      String user,
      String device,
      int quantity,
      long amount,
      String status,
      int version,
      String payment) {
    boolean live() {
      return LedgerSnapshot.live(status);
    }
  }

  /// @param at milliseconds
  record Event(
      long epoch,
      long seq,
      String kind,
      String order,
      String status,
      int version,
      int quantity,
      long at,
      String payment) {}

  /// @param release 0 while it is not released
  record Batch(String key, int quantity, long due, int release, long releasedAt) {}

  /// @param part empty = all of the payment, or the rest
  record Refund(
      String order, String payment, String part, long amount, String state, String cause) {}

  record Totals(long released, long held, long confirmed, long planned) {}

  /// @param maxUser 0 for none, like the others
  record Rules(
      int maxUser, int maxDevice, long payMillis, long presenceMillis, long showUpMillis) {}

  /// Whether an order in this state has units.
  static boolean live(String status) {
    return status.equals("pending") || status.equals("paid");
  }

  /// The refunds of a payment of an order: its parts, and the rest.
  List<Refund> refunds(String order, String payment) {
    return refunds.stream()
        .filter(refund -> refund.order().equals(order) && refund.payment().equals(payment))
        .toList();
  }

  static LedgerSnapshot read(Connection sql, String product) throws SQLException {
    Map<String, Order> orders = new LinkedHashMap<>();
    for (Row row :
        rows(sql, "SELECT * FROM orders WHERE platform = 'fairgate' AND product_id = ?", product)) {
      orders.put(row.text("order_id"), order(row));
    }
    List<Refund> refunds = new ArrayList<>();
    for (Row row :
        rows(
            sql,
            "SELECT r.* FROM refunds r JOIN orders o ON o.platform = 'fairgate'"
                + " AND o.order_id = r.order_id WHERE o.product_id = ?",
            product)) {
      refunds.add(
          new Refund(
              row.text("order_id"),
              row.text("payment_id"),
              row.text("part"),
              row.number("amount"),
              row.text("state"),
              row.text("cause")));
    }
    return new LedgerSnapshot(
        orders,
        rows(sql, "SELECT * FROM order_events WHERE product_id = ? ORDER BY epoch, seq", product)
            .stream()
            .map(LedgerSnapshot::event)
            .toList(),
        rows(sql, "SELECT * FROM stock_batches WHERE product_id = ? ORDER BY seq", product).stream()
            .map(LedgerSnapshot::batch)
            .toList(),
        refunds,
        totals(sql, product),
        rules(sql, product),
        number(sql, "SELECT gaps FROM outbox_positions WHERE product_id = ?", product),
        rows(
                sql,
                "SELECT entry->>'epoch' AS epoch, entry->>'seq' AS seq, entry->>'order' AS"
                    + " order_id, error FROM dead_letters WHERE product_id = ?",
                product)
            .stream()
            .map(LedgerSnapshot::letter)
            .toList());
  }

  private static DeadLetter letter(Row row) {
    return new DeadLetter(
        row.number("epoch"), row.number("seq"), row.text("order_id"), row.text("error"));
  }

  private static Order order(Row row) {
    return new Order(
        row.text("order_id"),
        row.text("session_id"),
        row.text("user_id"),
        row.text("device"),
        (int) row.number("quantity"),
        row.number("amount"),
        row.text("status"),
        (int) row.number("version"),
        row.text("payment_id"));
  }

  private static Event event(Row row) {
    return new Event(
        row.number("epoch"),
        row.number("seq"),
        row.text("kind"),
        row.text("order_id"),
        row.text("status"),
        (int) row.number("version"),
        (int) row.number("quantity"),
        row.number("at"),
        row.text("payment_id"));
  }

  private static Batch batch(Row row) {
    return new Batch(
        row.text("batch_key"),
        (int) row.number("quantity"),
        row.number("due_at"),
        (int) row.number("release_seq"),
        row.number("released_at"));
  }

  private static Totals totals(Connection sql, String product) throws SQLException {
    Row row =
        rows(
                sql,
                "SELECT t.*, p.total_stock FROM sale_totals t JOIN products p"
                    + " ON p.id = t.product_id WHERE t.product_id = ?",
                product)
            .getFirst();
    return new Totals(
        row.number("released"),
        row.number("held"),
        row.number("confirmed"),
        row.number("total_stock"));
  }

  private static Rules rules(Connection sql, String product) throws SQLException {
    Row row =
        rows(
                sql,
                "SELECT policy->>'max_per_user' AS max_user, policy->>'max_per_device' AS"
                    + " max_device, policy->>'payment_window_seconds' AS pays,"
                    + " policy->>'presence_timeout_seconds' AS presence,"
                    + " policy->>'show_up_seconds' AS show_up FROM sale_policies WHERE"
                    + " product_id = ? AND active",
                product)
            .getFirst();
    return new Rules(
        (int) row.number("max_user"),
        (int) row.number("max_device"),
        1_000 * row.number("pays"),
        1_000 * row.number("presence"),
        1_000 * row.number("show_up"));
  }

  private static long number(Connection sql, String query, String product) throws SQLException {
    List<Row> rows = rows(sql, query, product);
    return rows.isEmpty() ? 0 : rows.getFirst().first();
  }

  /// One row by its columns' names; times are milliseconds.
  record Row(Map<String, @Nullable Object> columns) {
    String text(String column) {
      Object value = columns.get(column);
      return value == null ? "" : String.valueOf(value);
    }

    long number(String column) {
      return number(columns.get(column));
    }

    long first() {
      return number(columns.values().iterator().next());
    }

    private static long number(@Nullable Object value) {
      return switch (value) {
        case null -> 0;
        case Timestamp time -> time.getTime();
        case Number number -> number.longValue();
        default -> Long.parseLong(String.valueOf(value));
      };
    }
  }

  static List<Row> rows(Connection sql, String query, String argument) throws SQLException {
    try (PreparedStatement statement = sql.prepareStatement(query)) {
      statement.setString(1, argument);
      try (ResultSet result = statement.executeQuery()) {
        List<Row> rows = new ArrayList<>();
        while (result.next()) {
          Map<String, @Nullable Object> columns = new LinkedHashMap<>();
          for (int i = 1; i <= result.getMetaData().getColumnCount(); i++) {
            columns.put(result.getMetaData().getColumnLabel(i), result.getObject(i));
          }
          rows.add(new Row(columns));
        }
        return rows;
      }
    }
  }
}
