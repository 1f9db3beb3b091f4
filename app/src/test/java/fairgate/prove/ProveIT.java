package fairgate.prove;

import static org.assertj.core.api.Assertions.assertThat;

import fairgate.prove.check.Invariant;
import fairgate.testkit.KafkaBroker;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.EnumSet;
import java.util.Set;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Short runs of `prove`, on two nodes and real engines that are killed, in each mode. They are in
/// one class, which starts first, because two at a time would take the processors from each other:
/// faults would come too seldom.
@Tag("proof")
class ProveIT {
  private static final String FAULTS =
      "node-kill,node-kill-after,cut-replies,redis-kill,script-flush,relay-kill,postgres-kill,"
          + "pause,add-stock,log-cut,out-of-memory,old-copy,refused-calls";

  private static final int MODES = 5;

  /// All but those of draws, waiting lists and deposits, of which a short run may have none:
  /// PlantedDrawFaultsIT and PlantedFaultsIT compare them.
  private static final Set<Invariant> REQUIRED =
      EnumSet.complementOf(
          EnumSet.of(
              Invariant.I32,
              Invariant.I33,
              Invariant.I34,
              Invariant.I35,
              Invariant.I37,
              Invariant.I42,
              Invariant.I45,
              Invariant.I46));

  /// By the runs so far.
  private static final Set<Invariant> COMPARED = EnumSet.noneOf(Invariant.class);

  private static int held;

  @SuppressWarnings("NullAway.Init")
  private ProveCall call;

  @TempDir
  @SuppressWarnings("NullAway.Init")
  private Path folder;

  @BeforeEach
  void prepare() {
    call = new ProveCall(folder);
  }

  /// What one mode compares with nothing, by chance or because its engines never fail that way,
  /// another one compares.
  @AfterAll
  static void everyInvariantWasComparedByAMode() {
    if (held == MODES) {
      assertThat(COMPARED).containsAll(REQUIRED);
    }
  }

  private void allHeld(int code) {
    COMPARED.addAll(call.allHeld(code));
    held++;
  }

  @Test
  void allChecksHoldWhenProcessesDie() throws IOException {
    int code = call.prove("--minutes", "0.6", "--nodes", "2", "--seed", "7", "--only", FAULTS);
    allHeld(code);
    assertThat(call.out()).contains("Seed 7, 2 nodes on one Redis");
    assertThat(call.err()).contains("--seed 7 --minutes 0.6 --nodes 2 --only " + FAULTS);
    assertThat(Files.readString(call.page()))
        .contains("Everything held.", "server killed (-9) under load", "<svg", "I22")
        .as("one page that needs nothing else")
        .doesNotContain("<script", "<link", "src=", "http://", "https://");
  }

  @Test
  void everythingHoldsOnARedisClusterWhoseMastersDie() {
    String faults =
        "node-kill-after,redis-kill,script-flush,relay-kill,slot-move,old-copy,refused-calls";
    int code = call.prove("--redis-cluster", "--minutes", "0.3", "--seed", "5", "--only", faults);
    allHeld(code);
    assertThat(call.out()).contains("Seed 5, 2 nodes on a Redis Cluster,");
    assertThat(call.err()).contains("--nodes 2 --redis-cluster --only " + faults);
    assertThat(call.times("Redis killed (-9)")).isPositive();
    assertThat(call.times("a sale moved to another master")).isPositive();
    assertThat(call.times("an older copy of Redis put back")).isPositive();
  }

  @Test
  void noAnsweredPurchaseIsLostWhenThePrimaryDiesAndAReplicaTakesItsPlace() {
    String faults = "failover,node-kill-after,cut-replies,relay-kill";
    int code = call.prove("--redis-replicas", "--minutes", "0.3", "--seed", "6", "--only", faults);
    allHeld(code);
    assertThat(call.out()).contains("Seed 6, 2 nodes on a Redis with replicas,");
    assertThat(call.times("the primary Redis killed, the replica with the most data promoted"))
        .isPositive();
  }

  @Test
  void everythingHoldsWithAKafkaThatDiesDoublesAndForgets() {
    String home = KafkaBroker.home(folder.resolve("kafka")).toString();
    String faults = "kafka-down,kafka-cut,reader-kill,kafka-empty";
    int code =
        call.prove("--kafka-home", home, "--minutes", "0.3", "--seed", "4", "--only", faults);
    allHeld(code);
    assertThat(call.out()).contains("Seed 4, 2 nodes on one Redis and Kafka,");
    assertThat(call.times("Kafka killed with entries taken, away for a while")).isPositive();
    assertThat(call.times("server killed between commit and Kafka's offset")).isPositive();
    assertThat(call.times("Kafka's answers cut")).isPositive();
    assertThat(call.times("Kafka killed with entries nobody else has, back empty")).isPositive();
    assertThat(call.times("entries that Kafka was given twice")).isPositive();
  }

  /// The people inside a sale go on as if there had been no time in which nobody was heard.
  @Test
  void allChecksHoldWhenNobodyGetsThrough() {
    String faults = "front-cut,blackout,pause-ahead";
    int code = call.prove("--minutes", "0.4", "--nodes", "2", "--seed", "3", "--only", faults);
    allHeld(code);
    assertThat(call.times("no request gets to any server, while all of them run")).isPositive();
    assertThat(call.times("all nodes dead for a while, schedulers with them")).isPositive();
    assertThat(call.times("operator pauses and resumes a sale that is not due")).isPositive();
  }
}
