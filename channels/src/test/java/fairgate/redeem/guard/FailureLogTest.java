package fairgate.redeem.guard;

import static org.assertj.core.api.Assertions.assertThat;

import fairgate.TestEngines;
import fairgate.platform.embedded.PostgresAddress;
import fairgate.platform.observe.Metrics;
import fairgate.platform.postgres.PostgresDatabase;
import fairgate.platform.postgres.TestDatabase;
import io.vertx.core.Vertx;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

class FailureLogTest {
  private static final Instant NOW = Instant.parse("2026-01-31T10:00:00Z");

  @SuppressWarnings("NullAway.Init")
  private static Vertx vertx;

  @SuppressWarnings("NullAway.Init")
  private static PostgresDatabase database;

  @BeforeAll
  static void open() {
    PostgresAddress address = TestEngines.shared().freshDatabase();
    vertx = Vertx.vertx();
    database = TestDatabase.open(vertx, address, 2);
  }

  @AfterAll
  static void close() {
    database.close();
    vertx.close().await();
  }

  private static FailureLog log(Metrics metrics) {
    return new FailureLog(database, InstantSource.fixed(NOW), Duration.ofDays(30), metrics);
  }

  private static FailureLog.Failure failure(String order, Instant at) {
    return new FailureLog.Failure(order, "basic", "d", "10.0.0.1", "ORDER_NOT_FOUND", at);
  }

  private static List<String> orders(FailureLog log, int max) {
    List<String> orders = new ArrayList<>();
    long before = Long.MAX_VALUE;
    List<FailureLog.StoredFailure> page;
    do {
      page = log.list("10.0.0.1", null, before, max);
      page.forEach(kept -> orders.add(kept.failure().orderHash()));
      before = page.isEmpty() ? before : page.getLast().id();
    } while (page.size() == max);
    return orders;
  }

  @Test
  void failuresAreKeptForTheirTimeAndListedByPages() {
    FailureLog log = log(new Metrics());
    log.note(failure("old", NOW.minus(Duration.ofDays(30)).minusSeconds(1)));
    log.note(failure("kept", NOW.minus(Duration.ofDays(30))));
    for (int i = 0; i < 5; i++) {
      log.note(failure("new" + i, NOW));
    }
    log.write();
    assertThat(orders(log, 2))
        .containsExactly("new4", "new3", "new2", "new1", "new0", "kept", "old");
    log.clean();
    assertThat(orders(log, 100)).containsExactly("new4", "new3", "new2", "new1", "new0", "kept");
    assertThat(log.list(null, "new3", Long.MAX_VALUE, 10)).hasSize(1);
    assertThat(log.list("10.0.0.2", null, Long.MAX_VALUE, 10)).isEmpty();
  }

  @Test
  void aFloodIsCountedNotKept() {
    Metrics metrics = new Metrics();
    FailureLog log = log(metrics);
    for (int i = 0; i < 20_010; i++) {
      log.note(failure("flood", NOW));
    }
    assertThat(metrics.scrape()).contains("fairgate_claim_failures_dropped_total 10.0");
  }
}
