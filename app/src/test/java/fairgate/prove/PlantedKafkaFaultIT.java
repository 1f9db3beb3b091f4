package fairgate.prove;

import static org.assertj.core.api.Assertions.assertThat;

import fairgate.prove.check.Invariant;
import fairgate.prove.environment.Broker;
import fairgate.prove.environment.Node;
import fairgate.prove.environment.Resp;
import fairgate.prove.environment.TcpProxy;
import fairgate.prove.environment.Waiting;
import fairgate.prove.fault.Fault;
import fairgate.testkit.KafkaBroker;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.sql.SQLException;
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
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// The checker can fail with Kafka too.
@Tag("proof")
class PlantedKafkaFaultIT {
  private static final String TOPIC = "fairgate.orders";
  private static final String GROUP = "fairgate-ledger";
  private static final String SALE = "991";
  private static final int WAVES = 8;

  /// More units than people want.
  private static final int ENOUGH = 100;

  @TempDir
  @SuppressWarnings("NullAway.Init")
  private Path folder;

  /// Kafka hears that the ledger has what it was given, the outbox retains none of it, and then the
  /// node dies without a commit.
  @Test
  void aReaderThatSaysTooEarlyHowFarItCameIsFound() throws Exception {
    try (Rig rig = rig();
        Rig.Run run = skips(rig)) {
      try (Resp redis = rig.engines().masters().getFirst().open()) {
        Object _ = redis.call("XTRIM", "event:" + SALE + ":outbox", "MAXLEN", "0");
      }
      rig.node().start();
      assertThat(PlantedFaultsIT.broken(run.judgeWithUnfinishedWork()))
          .contains(Invariant.I3, Invariant.I4, Invariant.I12);
    }
  }

  @Test
  void whatAReaderHasSkippedIsFedToTheLedgerAgain() throws Exception {
    try (Rig rig = rig();
        Rig.Run run = skips(rig)) {
      rig.node().start();
      assertThat(PlantedFaultsIT.broken(run.judge())).isEmpty();
    }
  }

  /// Redis says of every outbox that something of it is not acknowledged yet, for which the feeding
  /// waits.
  @Test
  void anEmptyKafkaOfWhichNothingIsFedAgainIsFound() throws Exception {
    try (Rig rig = rig();
        Rig.Run run = rig.new Run(SALE, Plant.NO_LIMIT.policy(), false)) {
      rig.node().redis().tap(new NeverAcknowledged());
      assertThat(struck(run)).as("Kafka came back empty").isTrue();
      assertThat(PlantedFaultsIT.broken(run.judgeWithUnfinishedWork()))
          .contains(Invariant.I3, Invariant.I12, Invariant.I21);
    }
  }

  /// Sends people until Kafka has died with what they bought.
  private static boolean struck(Rig.Run run) throws IOException, SQLException {
    for (int wave = 1; wave <= WAVES; wave++) {
      run.again(wave, ENOUGH);
      if (Fault.KAFKA_EMPTY.strike(run.site())) {
        return true;
      }
    }
    return false;
  }

  /// Raises the number of entries that are not acknowledged.
  private static final class NeverAcknowledged implements TcpProxy.Tap {
    private static final byte[] NONE = "pending\r\n:0\r\n".getBytes(StandardCharsets.US_ASCII);

    @Override
    public void reply(Object link, ByteBuffer bytes) {
      for (int at = bytes.position(); at + NONE.length <= bytes.limit(); at++) {
        if (bytes.slice(at, NONE.length).equals(ByteBuffer.wrap(NONE))) {
          bytes.put(at + NONE.length - 3, (byte) '1');
        }
      }
    }
  }

  private Rig rig() throws Exception {
    Path home = KafkaBroker.home(folder.resolve("kafka-home"));
    return new Rig(folder, Optional.of(home), 1);
  }

  /// A sale whose orders Kafka takes for read, though no ledger has them; the node is down.
  private static Rig.Run skips(Rig rig) throws Exception {
    Node node = rig.node();
    Broker broker = rig.engines().broker().orElseThrow();
    CountDownLatch read = new CountDownLatch(1);
    node.kafka()
        .tap(
            new TcpProxy.Tap() {
              @Override
              public void reply(Object link, ByteBuffer bytes) {
                if (StandardCharsets.US_ASCII.decode(bytes).toString().contains("reserved")) {
                  node.postgres().holdRequests();
                  read.countDown();
                }
              }
            });
    Rig.Run run = rig.new Run(SALE, Plant.NO_LIMIT.policy(), false);
    assertThat(read.await(4, TimeUnit.MINUTES)).isTrue();
    assertThat(
            Waiting.holds(
                Duration.ofMinutes(4), () -> run.journal().accepted() > 0 && lag(broker) > 0))
        .isTrue();
    node.kill();
    node.kafka().tap(TcpProxy.Tap.NONE);
    sayAllIsRead(broker);
    return run;
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
          .get(60, TimeUnit.SECONDS);
      Map<TopicPartition, OffsetSpec> asked = new HashMap<>();
      for (int i = 0; i < 12; i++) {
        asked.put(new TopicPartition(TOPIC, i), OffsetSpec.latest());
      }
      Map<TopicPartition, OffsetAndMetadata> ends = new HashMap<>();
      admin
          .listOffsets(asked)
          .all()
          .get(60, TimeUnit.SECONDS)
          .forEach((part, end) -> ends.put(part, new OffsetAndMetadata(end.offset())));
      admin.alterConsumerGroupOffsets(GROUP, ends).all().get(60, TimeUnit.SECONDS);
    }
  }
}
