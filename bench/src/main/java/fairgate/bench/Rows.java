package fairgate.bench;

import fairgate.platform.postgres.PostgresDatabase;
import fairgate.platform.postgres.PostgresSettings;
import io.vertx.core.Vertx;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.LockSupport;

/// Watches one product's orders arrive in PostgreSQL.
final class Rows implements AutoCloseable {
  private static final long LOOK_NANOS = 10_000_000;

  private final PostgresDatabase database;

  Rows(Vertx vertx, PostgresSettings settings) {
    this.database = PostgresDatabase.open(vertx, settings);
  }

  /// How many there were when.
  ///
  /// @param nanos `System.nanoTime()`
  record Sight(long nanos, int rows) {}

  int count(String product) {
    var found =
        database
            .query("SELECT count(*)::int AS n FROM orders WHERE product_id = $1", product)
            .await();
    return found.getFirst().getInteger(0);
  }

  /// Polls until there is this number of rows, for at most two minutes.
  List<Sight> until(String product, int rows) {
    List<Sight> sights = new ArrayList<>();
    long end = System.nanoTime() + 120_000_000_000L;
    while (System.nanoTime() < end) {
      int now = count(product);
      sights.add(new Sight(System.nanoTime(), now));
      if (now >= rows) {
        return sights;
      }
      LockSupport.parkNanos(LOOK_NANOS);
    }
    throw new IllegalStateException("only " + sights.getLast().rows() + " of " + rows + " rows");
  }

  @Override
  public void close() {
    database.close();
  }
}
