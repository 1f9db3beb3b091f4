package fairgate.platform.postgres;

import fairgate.TestEngines;
import fairgate.platform.embedded.PostgresAddress;
import io.vertx.core.Vertx;
import java.time.Duration;

/// Databases with the schema, for tests.
public final class TestDatabase implements TestEngines.Schema {
  /// The first connection to a new database takes seconds on a busy machine.
  private static final Duration PATIENCE = Duration.ofMinutes(1);

  /// Only for the service loader.
  public TestDatabase() {}

  @Override
  public void apply(PostgresAddress empty) {
    Vertx vertx = Vertx.vertx();
    open(vertx, empty, 1).close();
    vertx.close().await();
  }

  /// Opens a database and applies the migrations. The caller closes it.
  public static PostgresDatabase open(Vertx vertx, PostgresAddress at, int connections) {
    PostgresDatabase database = PostgresDatabase.open(vertx, settings(at, connections));
    database.awaitAnswer(PATIENCE);
    database.migrate();
    return database;
  }

  public static PostgresSettings settings(PostgresAddress at, int connections) {
    return new PostgresSettings(
        at.host(), at.port(), at.user(), at.password(), at.database(), connections);
  }
}
