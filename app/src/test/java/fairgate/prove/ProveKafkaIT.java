package fairgate.prove;

import static org.assertj.core.api.Assertions.assertThat;

import fairgate.testkit.KafkaBroker;
import java.nio.file.Path;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// A short run of `prove` on two nodes, Redis and a Kafka that is killed and emptied.
@Tag("proof")
class ProveKafkaIT {
  @TempDir
  @SuppressWarnings("NullAway.Init")
  private Path folder;

  @Test
  void everythingHoldsWithAKafkaThatDiesDoublesAndForgets() {
    ProveCall call = new ProveCall(folder);
    String home = KafkaBroker.home(folder.resolve("kafka")).toString();
    String faults = "kafka-down,kafka-cut,reader-kill,kafka-empty";
    int code =
        call.prove("--kafka-home", home, "--minutes", "0.3", "--seed", "4", "--only", faults);
    // Redis loses nothing and stays up.
    // In a short run nobody may come to a waiting list; PlantedFaultsIT compares them.
    call.allHeld(
        code, "I13", "I14", "I22", "I32", "I33", "I34", "I35", "I37", "I38", "I42", "I45", "I46");
    assertThat(call.out()).contains("Seed 4, 2 nodes on one Redis and Kafka,");
    assertThat(call.times("Kafka killed with entries taken, away for a while")).isPositive();
    assertThat(call.times("server killed between commit and Kafka's offset")).isPositive();
    assertThat(call.times("Kafka's answers cut")).isPositive();
    assertThat(call.times("Kafka killed with entries nobody else has, back empty")).isPositive();
    assertThat(call.times("entries that Kafka was given twice")).isPositive();
  }
}
