package fairgate.platform.postgres;

import static org.assertj.core.api.Assertions.assertThat;

import fairgate.TestEngines;
import fairgate.testkit.Eventually;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

final class ChangePollTest {
  private static final String TABLES =
      "SELECT count(*) FROM pg_class WHERE relname LIKE 'watched_%'";

  private final Vertx vertx = Vertx.vertx();
  private final PostgresDatabase database =
      TestDatabase.open(vertx, TestEngines.shared().freshDatabase(), 2);
  private final List<String> stamps = new CopyOnWriteArrayList<>();

  @AfterEach
  void close() {
    database.close();
    vertx.close().await();
  }

  private Future<Void> note(String stamp) {
    stamps.add(stamp);
    return Future.succeededFuture();
  }

  private void await(String stamp) {
    Eventually.await("stamp " + stamp, () -> stamps.contains(stamp));
  }

  @Test
  void aListenerGetsTheStampAfterEveryPoll() {
    ChangePoll.Watch watch = database.changes().watch(TABLES, this::note);
    Eventually.await("two polls", () -> stamps.size() > 1);
    assertThat(stamps).containsOnly("0");
    database.update("CREATE TABLE watched_1 ()");
    await("1");
    watch.close();
    var _ = database.changes().watch("SELECT 'other'", this::note);
    await("other");
    stamps.clear();
    Eventually.await("two polls", () -> stamps.size() > 1);
    assertThat(stamps).containsOnly("other");
  }

  /// The stamp is the time at which it was read.
  @Test
  void stampsAreReadOnceASecondWhileNothingIsWritten() {
    var _ =
        database
            .changes()
            .watch("SELECT (extract(epoch FROM clock_timestamp()) * 1000)::bigint", this::note);
    Eventually.await(
        "two readings in a row that are a second apart",
        () -> {
          List<Long> times = stamps.stream().map(Long::valueOf).toList();
          return IntStream.range(1, times.size())
              .anyMatch(i -> times.get(i) - times.get(i - 1) >= 900);
        });
  }

  @Test
  void theSnapshotChangesWithEveryWrite() {
    var _ = database.changes().watch(TABLES, this::note);
    Eventually.await("a snapshot", () -> !database.changes().snapshot().isEmpty());
    String before = database.changes().snapshot();
    database.update("CREATE TABLE watched_2 ()");
    Eventually.await("another one", () -> !database.changes().snapshot().equals(before));
  }

  @Test
  void aListenerThatIsBusyOrFailsKeepsNobodyWaiting() {
    Promise<Void> busy = Promise.promise();
    List<String> slow = new CopyOnWriteArrayList<>();
    var _ =
        database
            .changes()
            .watch(
                "SELECT 'slow'",
                stamp -> {
                  slow.add(stamp);
                  return busy.future();
                });
    var _ =
        database
            .changes()
            .watch(
                "SELECT 'failing'",
                _ -> {
                  throw new IllegalStateException("on purpose");
                });
    var _ = database.changes().watch(TABLES, this::note);
    Eventually.await("three polls", () -> stamps.size() > 2);
    assertThat(slow).hasSize(1);
    busy.complete();
    Eventually.await("the next call", () -> slow.size() > 1);
  }
}
