package fairgate.platform.postgres;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import fairgate.TestEngines;
import fairgate.kernel.ServiceUnavailable;
import fairgate.platform.run.BlockingWork;
import fairgate.testkit.Eventually;
import io.vertx.core.Vertx;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.assertj.core.api.InstanceOfAssertFactories;
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

  private static PostgresSettings settings(int connections) {
    return TestDatabase.settings(TestEngines.shared().freshDatabase(), connections);
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
    try (PostgresDatabase database = PostgresDatabase.open(vertx, settings(2))) {
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

  @Test
  void backgroundWorkLeavesHalfOfTheConnectionsToRequests() throws InterruptedException {
    try (PostgresDatabase database = PostgresDatabase.open(vertx, settings(4))) {
      CountDownLatch end = new CountDownLatch(1);
      AtomicInteger running = new AtomicInteger();
      AtomicInteger most = new AtomicInteger();
      List<Thread> jobs = new ArrayList<>();
      for (int i = 0; i < 6; i++) {
        jobs.add(
            BlockingWork.startBackground(
                "job",
                () -> {
                  int _ =
                      database.tx(
                          _ -> {
                            // A second connection for the same job.
                            var _ = database.query("SELECT 1").await();
                            most.accumulateAndGet(running.incrementAndGet(), Math::max);
                            Eventually.await("the end", () -> end.getCount() == 0);
                            return running.decrementAndGet();
                          });
                }));
      }
      Eventually.await("jobs hold their connections", () -> running.get() >= 2);
      Eventually.await("a request gets two others", () -> opensBoth(database));
      end.countDown();
      for (Thread job : jobs) {
        job.join();
      }
      assertThat(most.get()).isEqualTo(2);
    }
  }

  /// Waiting would not change it, so a program that starts does not wait.
  @Test
  void aWrongPasswordAndAnUnknownDatabaseAreRefusals() {
    PostgresSettings right = settings(1);
    assertRefused(login(right, "wrong", right.database()), "correct the user and the password");
    assertRefused(login(right, right.password(), "nowhere"), "does not have the database");
  }

  private static PostgresSettings login(PostgresSettings to, String password, String database) {
    return new PostgresSettings(to.host(), to.port(), to.user(), password, database, 1);
  }

  private void assertRefused(PostgresSettings settings, String advice) {
    try (PostgresDatabase database = PostgresDatabase.open(vertx, settings)) {
      assertThatThrownBy(() -> database.awaitAnswer(Duration.ofMinutes(5)))
          .hasMessageContaining(advice)
          .asInstanceOf(InstanceOfAssertFactories.type(ServiceUnavailable.class))
          .returns(true, ServiceUnavailable::isRefusal);
    }
    assertThatThrownBy(() -> PostgresSnapshot.take(settings).close())
        .hasMessageContaining(advice)
        .asInstanceOf(InstanceOfAssertFactories.type(ServiceUnavailable.class))
        .returns(true, ServiceUnavailable::isRefusal);
  }
}
