package fairgate.platform.events;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.TopicPartition;
import org.junit.jupiter.api.Test;

final class KafkaOffsetsTest {
  private static final TopicPartition ONE = new TopicPartition("t", 1);
  private static final TopicPartition TWO = new TopicPartition("t", 2);

  private final KafkaOffsets offsets = new KafkaOffsets();

  private void read(TopicPartition partition, long offset, String name) {
    offsets.read(
        new ConsumerRecord<>(partition.topic(), partition.partition(), offset, "key", "value"),
        name);
  }

  private static Map<TopicPartition, OffsetAndMetadata> at(TopicPartition partition, long offset) {
    return Map.of(partition, new OffsetAndMetadata(offset));
  }

  @Test
  void aPartitionIsFinishedUpToItsFirstUnfinishedEntry() {
    read(ONE, 5, "a");
    read(ONE, 6, "b");
    read(ONE, 7, "c");
    offsets.finished("b");
    assertThat(offsets.due()).isEqualTo(at(ONE, 5));
    offsets.finished("a");
    assertThat(offsets.due()).isEqualTo(at(ONE, 7));
    offsets.finished("c");
    assertThat(offsets.due()).isEqualTo(at(ONE, 8));
    assertThat(offsets.open()).isZero();
    assertThat(offsets.oldest()).isEmpty();
  }

  @Test
  void committedOffsetsAreNotCommittedAgain() {
    read(ONE, 5, "a");
    offsets.finished("a");
    offsets.committed(at(ONE, 6));
    assertThat(offsets.due()).isEmpty();
    read(ONE, 6, "b");
    assertThat(offsets.due()).isEmpty();
    offsets.finished("b");
    assertThat(offsets.due()).isEqualTo(at(ONE, 7));
  }

  @Test
  void bothCopiesOfADuplicateAreFinished() {
    read(ONE, 1, "a");
    read(ONE, 2, "b");
    read(ONE, 3, "a");
    offsets.finished("a");
    assertThat(offsets.due()).isEqualTo(at(ONE, 2));
    offsets.finished("b");
    assertThat(offsets.due()).isEqualTo(at(ONE, 4));
  }

  @Test
  void partitionsOfOtherConsumersAreDropped() {
    read(ONE, 1, "a");
    read(TWO, 1, "b");
    offsets.forget(List.of(ONE));
    offsets.finished("a");
    offsets.finished("b");
    assertThat(offsets.due()).isEqualTo(at(TWO, 2));
  }
}
