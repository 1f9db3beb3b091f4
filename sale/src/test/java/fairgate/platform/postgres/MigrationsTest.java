package fairgate.platform.postgres;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import fairgate.TestEngines;
import fairgate.sale.ledger.LedgerFixture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

/// A build with data that a newer build has changed.
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
        .isInstanceOf(DataTooNew.class)
        .hasMessageContaining("schema version 9990 or later");
  }

  @Test
  void theBuildThatWroteTheDataLogsNothing() {
    log.start();
    logger.addAppender(log);
    books.database().migrate();
    assertThat(log.list).isEmpty();
  }
}
