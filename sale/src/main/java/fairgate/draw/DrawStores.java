package fairgate.draw;

import fairgate.draw.store.DrawLogs;
import fairgate.platform.postgres.PostgresDatabase;
import java.time.Clock;

/// Everything that draws keep in PostgreSQL.
record DrawStores(
    PostgresDraws draws,
    PostgresEntries entries,
    PostgresResults results,
    PostgresOffers offers,
    DrawLogs logs) {
  static DrawStores on(PostgresDatabase database, DrawLogs logs, DrawKeys keys, Clock clock) {
    return new DrawStores(
        new PostgresDraws(database),
        new PostgresEntries(database, logs, keys, clock),
        new PostgresResults(database),
        new PostgresOffers(database),
        logs);
  }
}
