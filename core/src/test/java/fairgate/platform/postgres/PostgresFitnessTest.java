package fairgate.platform.postgres;

import static org.assertj.core.api.Assertions.assertThat;

import fairgate.TestEngines;
import fairgate.platform.embedded.PostgresAddress;
import io.vertx.core.Vertx;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

final class PostgresFitnessTest {
  private static final AtomicInteger ROLES = new AtomicInteger();

  private final Vertx vertx = Vertx.vertx();
  private final PostgresAddress address = TestEngines.shared().emptyDatabase();
  private final String role = "fit_" + ROLES.incrementAndGet();

  @BeforeEach
  void makeRole() throws SQLException {
    sql("CREATE ROLE " + role + " LOGIN PASSWORD 'word'");
  }

  @AfterEach
  void close() {
    vertx.close().await();
  }

  private void sql(String... statements) throws SQLException {
    try (Connection connection =
            DriverManager.getConnection(
                TestEngines.jdbcUrl(address), address.user(), address.password());
        Statement statement = connection.createStatement()) {
      for (String one : statements) {
        statement.execute(one);
      }
    }
  }

  /// Checks the database as this role.
  private PostgresFitness found(String database) {
    PostgresSettings settings =
        new PostgresSettings(address.host(), address.port(), role, "word", database, 1);
    try (PostgresDatabase one = PostgresDatabase.open(vertx, settings)) {
      return one.fitness().await();
    }
  }

  private PostgresFitness found() {
    return found(address.database());
  }

  private void assertUnfit(String words) {
    PostgresFitness found = found();
    assertThat(found.words()).isEqualTo(words);
    assertThat(found.fit()).isFalse();
  }

  @Test
  void aUserWhoMayCreateTablesIsFit() throws SQLException {
    sql("GRANT CREATE ON SCHEMA public TO " + role);
    assertThat(found().fit()).isTrue();
    assertThat(found().words())
        .matches("PostgreSQL 18\\.\\d+, " + role + " may make tables in public");
  }

  @Test
  void aMissingPrivilegeIsReportedWithItsGrant() {
    assertUnfit(role + " may not make tables; GRANT CREATE ON SCHEMA public TO " + role);
  }

  @Test
  void tablesOfAnotherOwnerAreReported() throws SQLException {
    sql("GRANT CREATE ON SCHEMA public TO " + role, "CREATE TABLE flyway_schema_history (n int)");
    assertUnfit("the tables belong to fairgate, whose rights " + role + " lacks");
    sql("GRANT fairgate TO " + role);
    assertThat(found().fit()).isTrue();
  }

  @Test
  void aReadOnlyDatabaseIsReported() throws SQLException {
    sql("ALTER ROLE " + role + " SET default_transaction_read_only = on");
    assertUnfit("takes no writes (a standby, or default_transaction_read_only)");
  }

  @Test
  void anEmptySearchPathIsReported() throws SQLException {
    sql("ALTER ROLE " + role + " SET search_path = nowhere");
    assertUnfit("no schema for " + role + " to make tables in; look at its search_path");
  }

  @Test
  void theDurabilitySettingsAreThoseOfTheUser() throws SQLException {
    // The tests' engines do not sync.
    assertThat(found().durability())
        .isEqualTo(Map.of("fsync", "off", "full_page_writes", "off", "synchronous_commit", "on"));
    sql("ALTER ROLE " + role + " SET synchronous_commit = off");
    assertThat(found().durability()).containsEntry("synchronous_commit", "off");
  }

  @Test
  void anotherEncodingIsReported() throws SQLException {
    sql("CREATE DATABASE " + role + " TEMPLATE template0 ENCODING 'LATIN1' LOCALE 'C'");
    assertThat(found(role).words()).isEqualTo("the database keeps text as LATIN1, not as UTF8");
  }
}
