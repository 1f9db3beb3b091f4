package fairgate.platform.postgres;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import fairgate.TestEngines;
import fairgate.platform.embedded.PostgresAddress;
import fairgate.sale.ledger.LedgerFixture;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

/// A build with data of another build.
final class MigrationsTest {
  private final LedgerFixture books = LedgerFixture.fresh(TestEngines.shared());
  private final Logger logger = (Logger) LoggerFactory.getLogger(Migrations.class);
  private final ListAppender<ILoggingEvent> log = new ListAppender<>();

  @AfterEach
  void close() {
    logger.detachAppender(log);
    books.close();
  }

  private void newerBuildMigrates() {
    var _ =
        books.query(
            "INSERT INTO flyway_schema_history (installed_rank, version, description, type, script,"
                + " installed_by, execution_time, success) VALUES (9999, '9990', 'newer', 'SQL',"
                + " 'V9990__newer.sql', 'test', 1, true) RETURNING version");
  }

  @Test
  void anOlderBuildWarnsWhenItMayWorkOnTheData() {
    newerBuildMigrates();
    log.start();
    logger.addAppender(log);
    books.database().migrate();
    assertThat(log.list)
        .singleElement()
        .asString()
        .contains("A newer build has changed the data")
        .contains("9990");
  }

  @Test
  void anOlderBuildIsRefusedBelowTheRecordedMinimum() {
    newerBuildMigrates();
    var _ = books.query("UPDATE data_compatibility SET minimum = 9990 RETURNING minimum");
    assertThatThrownBy(() -> books.database().migrate())
        .isInstanceOf(IncompatibleData.class)
        .hasMessageContaining("schema version 9990 or later");
  }

  /// The history of a build from before release 0.1.0, and a table that both builds have.
  private static final List<String> EARLIER_BUILD =
      List.of(
          "CREATE TABLE flyway_schema_history (installed_rank int, version text, checksum int,"
              + " success boolean)",
          "INSERT INTO flyway_schema_history VALUES (1, '0001', 1234, true), (2, '0191', 5678, true)",
          "CREATE TABLE products (id text, name text)",
          "INSERT INTO products VALUES ('7', 'Tour')");

  @Test
  void dataOfABuildFromBeforeTheReleaseAreRefusedAndUnchanged() {
    PostgresAddress empty = TestEngines.shared().emptyDatabase();
    PostgresSettings settings = TestDatabase.settings(empty, 2);
    try (PostgresDatabase database = PostgresDatabase.open(books.vertx(), settings)) {
      var _ = database.tx(db -> EARLIER_BUILD.stream().mapToInt(db::update).sum());
      assertThatThrownBy(database::migrate)
          .isInstanceOf(IncompatibleData.class)
          .hasMessageContaining("before release 0.1.0 (schema version 0191)")
          .hasMessageContaining("Nothing was changed")
          .hasMessageContaining("--data DIR");
      assertThat(
              texts(
                  database,
                  "SELECT relname FROM pg_class WHERE relnamespace = 'public'::regnamespace"))
          .containsExactlyInAnyOrder("flyway_schema_history", "products");
      assertThat(texts(database, "SELECT version FROM flyway_schema_history"))
          .containsExactlyInAnyOrder("0001", "0191");
      assertThat(texts(database, "SELECT name FROM products")).containsExactly("Tour");
    }
  }

  @Test
  void aSchemaFileThatWasEditedAfterItWasAppliedIsRefused() {
    var _ =
        books.query(
            "UPDATE flyway_schema_history SET checksum = checksum + 1 WHERE version = '0208'"
                + " RETURNING version");
    assertThatThrownBy(() -> books.database().migrate())
        .isInstanceOf(IncompatibleData.class)
        .hasMessageContaining("schema version 0208");
  }

  @Test
  void backupsOfOtherSchemasAreRefused() {
    PostgresSettings empty = TestDatabase.settings(TestEngines.shared().emptyDatabase(), 2);
    assertThatThrownBy(() -> PostgresLoader.open(empty, Set.of("0001", "0191")))
        .isInstanceOf(PostgresLoader.Unfit.class)
        .hasMessageContaining("a build from before release 0.1.0")
        .hasMessageContaining("Restore it with that build");
    assertThatThrownBy(() -> PostgresLoader.open(empty, Set.of("0201", "9990")))
        .isInstanceOf(PostgresLoader.Unfit.class)
        .hasMessageContaining("a newer build: this one lacks the migrations [9990]");
  }

  private static List<String> texts(PostgresDatabase database, String sql) {
    return database.reading(
        db -> db.query(sql).stream().map(row -> String.valueOf(row.getString(0))).toList());
  }

  @Test
  void theBuildThatWroteTheDataLogsNothing() {
    log.start();
    logger.addAppender(log);
    books.database().migrate();
    assertThat(log.list).isEmpty();
  }
}
