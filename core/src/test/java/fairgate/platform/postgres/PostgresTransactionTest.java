package fairgate.platform.postgres;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import fairgate.TestEngines;
import fairgate.kernel.ServiceUnavailable;
import fairgate.platform.embedded.PostgresAddress;
import fairgate.testkit.Eventually;
import io.vertx.core.Vertx;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

final class PostgresTransactionTest {
  private final Vertx vertx = Vertx.vertx();
  private final Logger logger = (Logger) LoggerFactory.getLogger(PostgresTransaction.class);
  private final ListAppender<ILoggingEvent> log = new ListAppender<>();
  private final PrintStream standardError = System.err;
  private final ByteArrayOutputStream printed = new ByteArrayOutputStream();

  @BeforeEach
  void listen() {
    log.start();
    logger.addAppender(log);
    System.setErr(new PrintStream(printed, true, StandardCharsets.UTF_8));
  }

  @AfterEach
  void close() {
    System.setErr(standardError);
    logger.detachAppender(log);
    vertx.close().await();
  }

  private static PostgresSettings settings() {
    PostgresAddress to = TestEngines.shared().freshDatabase();
    return new PostgresSettings(to.host(), to.port(), to.user(), to.password(), to.database(), 2);
  }

  private static boolean opensBoth(PostgresDatabase database) {
    try {
      return database.tx(_ -> database.query("SELECT 1").await().size() == 1);
    } catch (ServiceUnavailable _) {
      return false;
    }
  }

  /// As when PostgreSQL crashes.
  @Test
  void aConnectionThatPostgresEndsIsAWarningWithoutAStackTrace() {
    try (PostgresDatabase database = PostgresDatabase.open(vertx, settings())) {
      // Opening a connection may take longer than a call waits for one.
      Eventually.await("both connections are open", () -> opensBoth(database));
      assertThatThrownBy(
              () ->
                  database.tx(
                      db -> {
                        Integer own = db.query("SELECT pg_backend_pid()").getFirst().getInteger(0);
                        var _ = database.query("SELECT pg_terminate_backend($1)", own).await();
                        Eventually.await("the end is in the log", () -> !log.list.isEmpty());
                        return db.query("SELECT 1");
                      }))
          .isInstanceOf(ServiceUnavailable.class);
    }
    // Nothing is logged any more. The reset of the connection may have followed.
    vertx.close().await();
    assertThat(log.list.getFirst().getFormattedMessage()).contains("57P01");
    assertThat(log.list).allSatisfy(event -> assertThat(event.getThrowableProxy()).isNull());
    assertThat(printed.toString(StandardCharsets.UTF_8)).doesNotContain("\tat ");
  }
}
