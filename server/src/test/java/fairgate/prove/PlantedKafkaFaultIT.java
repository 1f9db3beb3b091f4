package fairgate.prove;

import static org.assertj.core.api.Assertions.assertThat;

import fairgate.prove.check.Invariant;
import fairgate.prove.stage.Broker;
import fairgate.prove.stage.Node;
import fairgate.prove.stage.Waiting;
import fairgate.prove.stage.Wire;
import fairgate.testkit.KafkaBroker;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.clients.admin.RemoveMembersFromConsumerGroupOptions;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.TopicPartition;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// The checker can fail with Kafka too.
class PlantedKafkaFaultIT {
  private static final String TOPIC = "fairgate.orders";
  private static final String GROUP = "fairgate-ledger";

  @TempDir
  @SuppressWarnings("NullAway.Init")
  private Path folder;

  /// Kafka hears that the ledger has what it was given, and then the node dies without a commit.
  @Test
  void aReaderThatSaysTooEarlyHowFarItCameIsFound() throws Exception {
    Path home = KafkaBroker.home(folder.resolve("kafka-home"));
    try (Rig rig = new Rig(folder, Optional.of(home))) {
      Node node = rig.node();
      Broker broker = rig.engines().broker().orElseThrow();
      CountDownLatch read = new CountDownLatch(1);
      node.kafka()
          .tap(
              new Wire.Tap() {
                @Override
                public void reply(Object link, ByteBuffer bytes) {
                  if (StandardCharsets.US_ASCII.decode(bytes).toString().contains("reserved")) {
                    node.postgres().holdRequests();
                    read.countDown();
                  }
                }
              });
      try (Rig.Run run = rig.new Run("991", Plant.NO_LIMIT.policy(), false)) {
        assertThat(read.await(40, TimeUnit.SECONDS)).isTrue();
        assertThat(
                Waiting.holds(
                    Duration.ofSeconds(40), () -> run.journal().accepted() > 0 && lag(broker) > 0))
            .isTrue();
        node.kill();
        sayAllIsRead(broker);
        node.start();
        assertThat(PlantedFaultsIT.broken(run.judgeRestless()))
            .contains(Invariant.I3, Invariant.I4, Invariant.I12);
      }
    }
  }

  private static long lag(Broker broker) {
    try {
      return broker.lag();
    } catch (IOException e) {
      throw new IllegalStateException(e);
    }
  }

  private static void sayAllIsRead(Broker broker) throws Exception {
    try (Admin admin = Admin.create(Map.of("bootstrap.servers", broker.address()))) {
      // The dead node's membership would forbid it for six seconds.
      admin
          .removeMembersFromConsumerGroup(GROUP, new RemoveMembersFromConsumerGroupOptions())
          .all()
          .get(10, TimeUnit.SECONDS);
      Map<TopicPartition, OffsetSpec> asked = new HashMap<>();
      for (int i = 0; i < 12; i++) {
        asked.put(new TopicPartition(TOPIC, i), OffsetSpec.latest());
      }
      Map<TopicPartition, OffsetAndMetadata> ends = new HashMap<>();
      admin
          .listOffsets(asked)
          .all()
          .get(10, TimeUnit.SECONDS)
          .forEach((part, end) -> ends.put(part, new OffsetAndMetadata(end.offset())));
      admin.alterConsumerGroupOffsets(GROUP, ends).all().get(10, TimeUnit.SECONDS);
    }
  }
}
