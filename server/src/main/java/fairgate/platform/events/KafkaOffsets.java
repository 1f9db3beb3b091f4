package fairgate.platform.events;

import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.TreeMap;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.TopicPartition;

/// How far each partition is done with. Entries may be finished in any order; a partition is done
/// up to the first that is not.
final class KafkaOffsets {
  private final Map<TopicPartition, Part> parts = new HashMap<>();
  private final Map<String, List<Place>> places = new HashMap<>();

  private record Place(TopicPartition partition, long offset) {}

  private static final class Part {
    /// Offset -> when it was written, ms.
    private final TreeMap<Long, Long> open = new TreeMap<>();

    private long next;
    private long committed = -1;

    private long done() {
      return open.isEmpty() ? next : open.firstKey();
    }
  }

  /// Notes a record that has been read.
  ///
  /// @param name the entry's; the same for one that comes twice
  void read(ConsumerRecord<?, ?> record, String name) {
    TopicPartition partition = new TopicPartition(record.topic(), record.partition());
    Part part = parts.computeIfAbsent(partition, _ -> new Part());
    part.open.put(record.offset(), record.timestamp());
    part.next = Math.max(part.next, record.offset() + 1);
    places.computeIfAbsent(name, _ -> new ArrayList<>()).add(new Place(partition, record.offset()));
  }

  void finished(String name) {
    List<Place> done = places.remove(name);
    if (done != null) {
      for (Place place : done) {
        Part part = parts.get(place.partition());
        if (part != null) {
          part.open.remove(place.offset());
        }
      }
    }
  }

  /// What Kafka has not been told yet.
  Map<TopicPartition, OffsetAndMetadata> due() {
    Map<TopicPartition, OffsetAndMetadata> due = new HashMap<>();
    parts.forEach(
        (partition, part) -> {
          if (part.done() > part.committed) {
            due.put(partition, new OffsetAndMetadata(part.done()));
          }
        });
    return due;
  }

  void committed(Map<TopicPartition, OffsetAndMetadata> told) {
    told.forEach(
        (partition, offset) -> {
          Part part = parts.get(partition);
          if (part != null) {
            part.committed = offset.offset();
          }
        });
  }

  /// Others have these partitions now.
  void forget(Collection<TopicPartition> lost) {
    parts.keySet().removeAll(lost);
    places
        .values()
        .removeIf(
            list -> {
              list.removeIf(place -> lost.contains(place.partition()));
              return list.isEmpty();
            });
  }

  /// How many records are in hand.
  int open() {
    return parts.values().stream().mapToInt(part -> part.open.size()).sum();
  }

  /// When the oldest record in hand was written, ms.
  OptionalLong oldest() {
    return parts.values().stream()
        .filter(part -> !part.open.isEmpty())
        .mapToLong(part -> part.open.firstEntry().getValue())
        .min();
  }
}
