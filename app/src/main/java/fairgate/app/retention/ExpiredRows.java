package fairgate.app.retention;

import fairgate.platform.postgres.PostgresDatabase;
import fairgate.platform.run.PeriodicJob;
import java.time.Duration;
import java.util.List;

/// Removes rows that have no effect any more, every hour on each node. A repeat removes nothing.
///
/// Tables with rules of their own (audit, decisions, bans, failures, messages, sale history) are
/// emptied by their features. `docs/operate/data.md` lists all.
public final class ExpiredRows implements AutoCloseable {
  private static final Duration PAUSE = Duration.ofHours(1);

  /// Removed in one transaction, so that none lasts long.
  private static final int BATCH = 5_000;

  /// The end of the effect of a row, and how long it stays then.
  private record Rule(String table, String condition) {
    String statement() {
      return "DELETE FROM %s WHERE ctid = ANY (ARRAY(SELECT ctid FROM %s WHERE %s LIMIT %d))"
          .formatted(table, table, condition, BATCH);
    }
  }

  private static final List<Rule> RULES =
      List.of(
          new Rule("account_sessions", "expires_at < now()"),
          new Rule("account_resets", "expires_at < now()"),
          new Rule("account_names_kept", "kept_until < now()"),
          new Rule("operator_sessions", "expires_at < now()"),
          new Rule("operator_links", "expires_at < now()"),
          new Rule(
              "tickets",
              "coalesce(used_at + interval '400 days', changed_at + interval '3 years') < now()"),
          // Money that comes later is on the list of refunds that a person decides.
          new Rule("deposits", "state = 'lapsed' AND updated_at < now() - interval '30 days'"),
          // Links live for 400 days: by then none is left that was made before or soon after the
          // end.
          new Rule("order_links", "ended_at < now() - interval '800 days'"),
          // Until then, the page of a deleted room leads to its shop.
          new Rule("deleted_rooms", "cleared AND deleted_at < now() - interval '30 days'"),
          // In no address or text of a product.
          new Rule(
              "pictures",
              "uploaded_at < now() - interval '30 days' AND NOT EXISTS (SELECT FROM products p"
                  + " WHERE position(pictures.id IN p.image_url || coalesce(p.content::text, '')) > 0)"),
          // As for other bans: appeals refer to them.
          new Rule("claim_bans", "coalesce(lifted_at, until) < now() - interval '400 days'"));

  private final PostgresDatabase database;
  private final PeriodicJob job = new PeriodicJob("expired-rows", PAUSE, this::remove);

  private ExpiredRows(PostgresDatabase database) {
    this.database = database;
  }

  /// Starts the job. The first pass comes after an hour.
  public static ExpiredRows start(PostgresDatabase database) {
    ExpiredRows rows = new ExpiredRows(database);
    rows.job.start();
    return rows;
  }

  /// Removes all rows that are due; returns their number. Blocks. Throws ServiceUnavailable.
  static int remove(PostgresDatabase database) {
    int all = 0;
    for (Rule rule : RULES) {
      int removed = BATCH;
      while (removed == BATCH) {
        removed = database.update(rule.statement());
        all += removed;
      }
    }
    return all;
  }

  private void remove() {
    int _ = remove(database);
  }

  @Override
  public void close() {
    job.close();
  }
}
