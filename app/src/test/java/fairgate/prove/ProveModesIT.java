package fairgate.prove;

import static org.assertj.core.api.Assertions.assertThat;

import fairgate.testkit.KafkaBroker;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Short proofs on a Redis Cluster, and with Kafka on the way to the ledger.
class ProveModesIT {
  @SuppressWarnings("NullAway.Init")
  private ProveCall call;

  @TempDir
  @SuppressWarnings("NullAway.Init")
  private Path folder;

  @BeforeEach
  void prepare() {
    call = new ProveCall(folder.resolve("proof.html"));
  }

  @Test
  void everythingHoldsOnARedisClusterWhoseMastersDie() {
    String faults =
        "node-kill-after,redis-kill,script-flush,relay-kill,slot-move,old-copy,refused-calls";
    int code = call.prove("--redis-cluster", "--minutes", "0.3", "--seed", "5", "--only", faults);
    call.allHeld(code, "I21");
    assertThat(call.out()).contains("Seed 5, 2 nodes on a Redis Cluster,");
    assertThat(call.err()).contains("--nodes 2 --redis-cluster --only " + faults);
    assertThat(call.times("Redis killed (-9)")).isPositive();
    assertThat(call.times("a sale moved to another master")).isPositive();
    assertThat(call.times("an older copy of Redis put back")).isPositive();
  }

  @Test
  void everythingHoldsWithAKafkaThatDiesDoublesAndForgets() {
    String home = KafkaBroker.home(folder.resolve("kafka")).toString();
    String faults = "kafka-down,kafka-cut,reader-kill,kafka-empty";
    int code =
        call.prove("--kafka-home", home, "--minutes", "0.3", "--seed", "4", "--only", faults);
    // Redis loses nothing and stays up.
    call.allHeld(code, "I13", "I14", "I22");
    assertThat(call.out()).contains("Seed 4, 2 nodes on one Redis and Kafka,");
    assertThat(call.times("Kafka killed with entries taken, away for a while")).isPositive();
    assertThat(call.times("server killed between commit and Kafka's offset")).isPositive();
    assertThat(call.times("Kafka's answers cut")).isPositive();
    assertThat(call.times("Kafka killed with entries nobody else has, back empty")).isPositive();
    assertThat(call.times("entries that Kafka was given twice")).isPositive();
  }
}
