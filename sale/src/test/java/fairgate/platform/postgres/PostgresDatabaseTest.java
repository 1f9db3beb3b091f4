package fairgate.platform.postgres;

import static fairgate.sale.ledger.LedgerFixture.eventually;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import fairgate.TestEngines;
import fairgate.kernel.ServiceUnavailable;
import fairgate.platform.embedded.PostgresAddress;
import fairgate.testkit.SlowProxy;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.sqlclient.Row;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("slow")
final class PostgresDatabaseTest {
  @SuppressWarnings("NullAway.Init")
  private static Vertx vertx;

  @SuppressWarnings("NullAway.Init")
  private static PostgresDatabase database;

  @SuppressWarnings("NullAway.Init")
  private static PostgresAddress address;

  @BeforeAll
  static void open() {
    vertx = Vertx.vertx();
    address = TestEngines.shared().freshDatabase();
    database = PostgresDatabase.open(vertx, settings(address, 3));
    var _ =
        database.tx(
            db -> db.update("CREATE TABLE things (id int PRIMARY KEY, n int CHECK (n > 0))"));
  }

  @AfterAll
  static void close() {
    database.close();
    vertx.close().await();
  }

  static PostgresSettings settings(PostgresAddress address, int poolSize) {
    return new PostgresSettings(
        address.host(),
        address.port(),
        address.user(),
        address.password(),
        address.database(),
        poolSize);
  }

  @Test
  void workIsCommittedCompletelyOrNotAtAll() {
    var _ = database.tx(db -> db.update("INSERT INTO things VALUES (1, 1)"));
    assertThatThrownBy(
            () ->
                database.tx(
                    db -> {
                      db.update("INSERT INTO things VALUES (2, 1)");
                      throw new IllegalStateException("changed my mind");
                    }))
        .hasMessage("changed my mind");

    assertThat(ids(1, 2)).containsExactly(1);
  }

  @Test
  void aRefusalNamesTheConstraint() {
    assertThatThrownBy(() -> database.tx(db -> db.update("INSERT INTO things VALUES (3, 0)")))
        .isInstanceOfSatisfying(
            PostgresRefusal.class,
            refusal -> {
              assertThat(refusal.constraint()).isEqualTo("things_n_check");
              assertThat(refusal.sqlState()).isEqualTo("23514");
              assertThat(refusal.duplicate()).isFalse();
            });
  }

  @Test
  void aSwallowedRefusalCannotBeCommitted() {
    assertThatThrownBy(
            () ->
                database.tx(
                    db -> {
                      db.update("INSERT INTO things VALUES (4, 1)");
                      try {
                        db.update("INSERT INTO things VALUES (4, 1)");
                      } catch (PostgresRefusal swallowed) {
                        assertThat(swallowed.duplicate()).isTrue();
                      }
                      return 1;
                    }))
        .isInstanceOf(IllegalStateException.class);
    assertThat(ids(4)).isEmpty();
  }

  @Test
  void aSnapshotDoesNotChangeAndIsReadOnly() {
    var _ = database.tx(db -> db.update("INSERT INTO things VALUES (5, 1)"));
    var _ =
        database.reading(
            db -> {
              assertThat(db.query("SELECT 1 FROM things WHERE id = 6")).isEmpty();
              var _ = database.tx(other -> other.update("INSERT INTO things VALUES (6, 1)"));
              assertThat(db.query("SELECT 1 FROM things WHERE id = 6")).isEmpty();
              return 1;
            });

    assertThatThrownBy(() -> database.reading(db -> db.update("DELETE FROM things")))
        .isInstanceOf(RuntimeException.class);
    assertThat(ids(5, 6)).hasSize(2);
  }

  @Test
  void aTransactionOnAnEventLoopIsRefused() {
    Promise<Integer> promise = Promise.promise();
    vertx.runOnContext(
        _ -> {
          try {
            promise.complete(database.tx(_ -> 1));
          } catch (IllegalStateException refused) {
            promise.fail(refused);
          }
        });

    assertThatThrownBy(() -> promise.future().await()).hasMessageContaining("event loop");
  }

  @Test
  void statementsOutsideATransactionDoNotBlock() {
    List<Future<?>> all = new ArrayList<>();
    for (int i = 0; i < 200; i++) {
      all.add(database.query("SELECT $1::int", i));
    }

    assertThat(Future.all(List.copyOf(all)).await().size()).isEqualTo(200);
  }

  @Test
  void manyTransactionsShareFewConnections() throws Exception {
    List<java.util.concurrent.Future<?>> all = new ArrayList<>();
    try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
      for (int i = 0; i < 50; i++) {
        int id = 100 + i;
        all.add(
            threads.submit(
                () -> database.tx(db -> db.update("INSERT INTO things VALUES ($1, 1)", id))));
      }
    }
    for (java.util.concurrent.Future<?> one : all) {
      var _ = one.get();
    }

    assertThat(read(database, "SELECT 1 FROM things WHERE id >= 100")).hasSize(50);
  }

  @Test
  void aMissingDatabaseIsUnavailable() {
    PostgresAddress nowhere =
        new PostgresAddress("127.0.0.1", 1, address.user(), address.password(), "none");
    PostgresAddress missing =
        new PostgresAddress(
            address.host(), address.port(), address.user(), address.password(), "none");
    for (PostgresAddress wrong : List.of(nowhere, missing)) {
      try (PostgresDatabase away = PostgresDatabase.open(vertx, settings(wrong, 1))) {
        assertThatThrownBy(() -> away.tx(db -> db.query("SELECT 1")))
            .isInstanceOf(ServiceUnavailable.class);
        assertThatThrownBy(() -> away.check().await()).isInstanceOf(ServiceUnavailable.class);
        assertThatThrownBy(away::migrate).isInstanceOf(ServiceUnavailable.class);
      }
    }
  }

  @Test
  void thePoolRecoversAfterACrash() {
    try (TestEngines engines = TestEngines.privateEngines();
        PostgresDatabase crashing =
            PostgresDatabase.open(vertx, settings(engines.freshDatabase(), 2))) {
      var _ = crashing.tx(db -> db.update("CREATE TABLE kept (id int)"));
      assertThatThrownBy(
              () ->
                  crashing.tx(
                      db -> {
                        db.update("INSERT INTO kept VALUES (1)");
                        engines.killPostgres();
                        return db.query("SELECT pg_sleep(1)");
                      }))
          .isInstanceOf(ServiceUnavailable.class);
      eventually("back", () -> answers(crashing));

      assertThat(read(crashing, "SELECT 1 FROM kept")).isEmpty();
    }
  }

  @Test
  void anUnresponsiveConnectionIsReplacedWithoutBlockingCallers() throws TimeoutException {
    try (SlowProxy way = new SlowProxy(new InetSocketAddress(address.host(), address.port()));
        PostgresDatabase behind = PostgresDatabase.open(vertx, settings(through(way), 1))) {
      var _ = behind.check().await(60, TimeUnit.SECONDS);
      way.swallow();
      assertThatThrownBy(() -> behind.query("SELECT 1").await(60, TimeUnit.SECONDS))
          .isInstanceOf(ServiceUnavailable.class);
      way.serve();
      eventually("the pool comes back", () -> answers(behind));
    }
  }

  private static PostgresAddress through(SlowProxy way) {
    return new PostgresAddress(
        "127.0.0.1", way.port(), address.user(), address.password(), address.database());
  }

  @Test
  void migrationsAreAppliedOnce() {
    PostgresAddress empty = TestEngines.shared().emptyDatabase();
    try (PostgresDatabase fresh = PostgresDatabase.open(vertx, settings(empty, 2))) {
      fresh.migrate();
      List<Row> applied = read(fresh, "SELECT version FROM flyway_schema_history");
      fresh.migrate();

      assertThat(applied)
          .extracting(row -> row.getString(0))
          .hasSameSizeAs(Migrations.known().keySet());
      assertThat(read(fresh, "SELECT version FROM flyway_schema_history")).hasSameSizeAs(applied);
    }
  }

  @Test
  void theSettingsDoNotPrintThePassword() {
    PostgresSettings settings = new PostgresSettings("h", 1, "u", "hush", "d", 1);

    assertThat(Map.of("settings", settings).toString()).doesNotContain("hush");
  }

  private static boolean answers(PostgresDatabase database) {
    try {
      return database.tx(db -> db.query("SELECT 1")).size() == 1;
    } catch (ServiceUnavailable away) {
      return false;
    }
  }

  private static List<Row> read(PostgresDatabase from, String sql) {
    return from.tx(db -> db.query(sql));
  }

  private static List<Integer> ids(Integer... among) {
    return database.tx(
        db ->
            db
                .query(
                    "SELECT id FROM things WHERE id = ANY($1::int[]) ORDER BY id", (Object) among)
                .stream()
                .map(row -> row.getInteger(0))
                .toList());
  }
}
