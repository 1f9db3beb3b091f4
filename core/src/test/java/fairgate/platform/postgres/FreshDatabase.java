package fairgate.platform.postgres;

import fairgate.TestEngines;
import fairgate.platform.embedded.PostgresAddress;
import io.vertx.core.Vertx;
import io.vertx.sqlclient.Row;
import java.util.List;

/// A fresh database of a real PostgreSQL.
public class FreshDatabase implements AutoCloseable {
  private final Vertx vertx = Vertx.vertx();
  private final PostgresAddress address;
  private final PostgresDatabase database;

  public FreshDatabase(TestEngines engines) {
    this(engines.freshDatabase());
  }

  protected FreshDatabase(PostgresAddress address) {
    this.address = address;
    this.database = TestDatabase.open(vertx, address, 6);
  }

  public Vertx vertx() {
    return vertx;
  }

  public PostgresAddress address() {
    return address;
  }

  public PostgresDatabase database() {
    return database;
  }

  public List<Row> query(String sql, Object... args) {
    return database.tx(db -> db.query(sql, args));
  }

  /// The first column of the first row.
  public long number(String sql, Object... args) {
    return query(sql, args).getFirst().getLong(0);
  }

  @Override
  public void close() {
    database.close();
    vertx.close().await();
  }
}
