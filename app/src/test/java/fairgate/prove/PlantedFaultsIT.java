package fairgate.prove;

import static org.assertj.core.api.Assertions.assertThat;

import fairgate.prove.check.Invariant;
import fairgate.prove.check.InvariantResults;
import fairgate.prove.environment.Node;
import fairgate.prove.environment.Resp;
import fairgate.prove.environment.TcpProxy;
import fairgate.prove.environment.Waiting;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestMethodOrder;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/// The checker can fail: every fault that is planted into the running server is found, and a sale
/// without one is not accused.
@TestMethodOrder(MethodOrderer.OrderAnnotation.class)
@Tag("proof")
class PlantedFaultsIT {
  private static final int ANSWERS = 5;
  private static final Map<Plant, InvariantResults> JUDGED = new ConcurrentHashMap<>();
  private static Rig rig;

  @TempDir
  @SuppressWarnings("NullAway.Init")
  private static Path folder;

  /// All sales run at the same time, each with its own fault.
  @BeforeAll
  static void plant() throws IOException, SQLException, InterruptedException, TimeoutException {
    rig = new Rig(folder);
    PlantingTap tap = new PlantingTap();
    try (Resp redis = rig.engines().masters().getFirst().open();
        Connection sql = rig.engines().sql();
        Statement statement = sql.createStatement()) {
      for (Plant plant : Plant.values()) {
        if (plant.script().isEmpty()) {
          boolean _ = statement.execute(plant.statements());
        } else {
          tap.plant(redis, plant);
        }
      }
    }
    rig.node().redis().tap(tap);
    Map<Plant, Rig.Run> runs = new EnumMap<>(Plant.class);
    for (Plant plant : Plant.values()) {
      runs.put(plant, rig.new Run(plant.product(), plant.policy(), plant.pays()));
    }
    List<Thread> judges = new ArrayList<>();
    runs.forEach((plant, run) -> judges.add(Thread.startVirtualThread(() -> judge(plant, run))));
    for (Thread judge : judges) {
      judge.join();
    }
    rig.node().redis().tap(TcpProxy.Tap.NONE);
  }

  private static void judge(Plant plant, Rig.Run run) {
    try (run) {
      JUDGED.put(
          plant,
          plant == Plant.NONE ? run.judgeExercised(Invariant.I45) : run.judge(plant.found()));
    } catch (IOException | SQLException e) {
      throw new IllegalStateException(e);
    }
  }

  @AfterAll
  static void stop() throws TimeoutException {
    rig.close();
  }

  @Order(1)
  @ParameterizedTest
  @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "NONE")
  void aPlantedFaultIsFound(Plant plant) {
    InvariantResults tally = JUDGED.getOrDefault(plant, new InvariantResults());
    assertThat(broken(tally)).as(tally.verdicts().toString()).contains(plant.found());
  }

  @Order(2)
  @Test
  void whereNothingIsPlantedNothingIsFound() {
    InvariantResults tally = JUDGED.getOrDefault(Plant.NONE, new InvariantResults());
    assertThat(broken(tally)).as(tally.verdicts().toString()).isEmpty();
    assertThat(tally.verdicts().values().stream().filter(v -> v.facts() > 0).count())
        .as("what was exercised")
        .isGreaterThan(12);
    assertThat(tally.verdicts().get(Invariant.I45))
        .as("the waiting list, whose people only come if everything is sold")
        .satisfies(verdict -> assertThat(verdict.facts()).isPositive());
  }

  static List<Invariant> broken(InvariantResults tally) {
    List<Invariant> broken = new ArrayList<>();
    tally
        .verdicts()
        .forEach(
            (invariant, verdict) -> {
              if (verdict.broken() > 0) {
                broken.add(invariant);
              }
            });
    return broken;
  }

  /// The entries it was given are acknowledged and deleted before the commit; then it dies. Without
  /// the deletion the node would feed them to the ledger again.
  @Order(3)
  @Test
  void aRelayThatAcknowledgesTooEarlyIsFound() throws Exception {
    Node node = rig.node();
    String product = "990";
    CountDownLatch acknowledged = new CountDownLatch(1);
    node.redis()
        .tap(
            new TcpProxy.Tap() {
              @Override
              public void reply(Object link, ByteBuffer bytes) {
                boolean entries =
                    StandardCharsets.US_ASCII.decode(bytes).toString().contains("\r\nreserved\r\n");
                // What is only looked at was not given to anybody yet.
                if (entries && acknowledged.getCount() > 0 && acknowledge(product) > 0) {
                  node.postgres().holdRequests();
                  acknowledged.countDown();
                }
              }
            });
    try (Rig.Run run = rig.new Run(product, Plant.NO_LIMIT.policy(), false)) {
      assertThat(acknowledged.await(4, TimeUnit.MINUTES)).isTrue();
      // Among so many answers is that of the order whose entry is lost, though others may be
      // faster.
      assertThat(Waiting.holds(Duration.ofMinutes(4), () -> run.journal().accepted() > ANSWERS))
          .isTrue();
      node.kill();
      node.start();
      // It is chance whether the order has later events.
      assertThat(broken(run.judgeWithUnfinishedWork()))
          .contains(Invariant.I3)
          .containsAnyOf(Invariant.I4, Invariant.I12);
    }
  }

  /// As a server would do that takes a sale for opened which is not due.
  @Order(4)
  @Test
  void unitsThatComeBeforeTheOpeningAreFound() throws Exception {
    String product = "991";
    try (Rig.Run run = rig.new Run(product, Plant.NO_LIMIT.policy(), false);
        Connection sql = rig.engines().sql();
        Statement statement = sql.createStatement()) {
      int changed =
          statement.executeUpdate(
              "UPDATE products SET opens_at = now() + interval '1 hour' WHERE id = '991'");
      assertThat(changed).isEqualTo(1);
      assertThat(broken(run.judge(Invariant.I16))).contains(Invariant.I16);
      changed = statement.executeUpdate("UPDATE products SET opens_at = NULL WHERE id = '991'");
      assertThat(changed).isEqualTo(1);
    }
  }

  /// How many entries there were to acknowledge.
  private static int acknowledge(String product) {
    String stream = "event:" + product + ":outbox";
    try (Resp redis = rig.engines().masters().getFirst().open()) {
      if (redis.call("XPENDING", stream, "ledger", "-", "+", "1000") instanceof List<?> pending) {
        for (Object entry : pending) {
          String id = Resp.texts(entry).getFirst();
          Object _ = redis.call("XACK", stream, "ledger", id);
          Object _ = redis.call("XDEL", stream, id);
        }
        return pending.size();
      }
      return 0;
    } catch (IOException e) {
      throw new IllegalStateException(e);
    }
  }
}
