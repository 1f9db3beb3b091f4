package fairgate.gate.risk;

import fairgate.platform.postgres.PostgresDatabase;
import io.vertx.core.Future;
import io.vertx.sqlclient.Row;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/// Reads the histories of accounts from PostgreSQL. An order of a free product is no paid order:
/// anybody can have as many as there are.
record PostgresHistory(PostgresDatabase database) {
  private static final String READ =
      """
      SELECT a.id,
        floor(extract(epoch FROM now() - a.created_at) / 3600)::bigint AS age,
        coalesce(i.email, false) AS email, coalesce(i.phone, false) AS phone,
        coalesce(i.person, false) AS person,
        EXISTS (SELECT 1 FROM account_passkeys p WHERE p.account_id = a.id) AS passkey,
        o.paid, o.unpaid, o.cancelled, o.refunded, r.won, r.lost
      FROM unnest($1::text[], $2::text[]) AS asked (account, subject)
      JOIN accounts a ON a.id = asked.account
      LEFT JOIN LATERAL (
        SELECT bool_or(kind = 'email') AS email, bool_or(kind = 'phone') AS phone,
          bool_or(kind = 'number') AS person
        FROM account_identities WHERE account_id = a.id) i ON true
      CROSS JOIN LATERAL (
        SELECT count(*) FILTER (WHERE status = 'paid' AND amount IS DISTINCT FROM 0) AS paid,
          count(*) FILTER (WHERE status = 'expired' AND created_at > now() - interval '90 days')
            AS unpaid,
          count(*) FILTER (WHERE status = 'cancelled' AND created_at > now() - interval '90 days')
            AS cancelled,
          count(*) FILTER (WHERE status = 'refunded') AS refunded
        FROM orders
        WHERE user_id = a.id AND length(user_id) > 22 AND platform = 'fairgate'
          AND created_at > now() - interval '365 days') o
      CROSS JOIN LATERAL (
        SELECT count(*) FILTER (WHERE kind = 'appeal_won') AS won,
          count(*) FILTER (WHERE kind = 'appeal_lost') AS lost
        FROM risk_outcomes WHERE subject = asked.subject) r
      """;

  Future<List<OwnHistory.History>> read(List<OwnHistory.Asked> asked) {
    String[] accounts = asked.stream().map(OwnHistory.Asked::account).toArray(String[]::new);
    String[] subjects = asked.stream().map(OwnHistory.Asked::subject).toArray(String[]::new);
    return database
        .query(READ, accounts, subjects)
        .map(
            rows -> {
              Map<String, OwnHistory.History> found = new HashMap<>();
              rows.forEach(row -> found.put(row.getString("id"), history(row)));
              return asked.stream()
                  .map(one -> found.getOrDefault(one.account(), OwnHistory.History.UNKNOWN))
                  .toList();
            });
  }

  private static OwnHistory.History history(Row row) {
    return new OwnHistory.History(
        row.getLong("age"),
        row.getBoolean("email"),
        row.getBoolean("phone"),
        row.getBoolean("person"),
        row.getBoolean("passkey"),
        row.getLong("paid"),
        row.getLong("unpaid"),
        row.getLong("cancelled"),
        row.getLong("refunded"),
        row.getLong("won"),
        row.getLong("lost"));
  }
}
