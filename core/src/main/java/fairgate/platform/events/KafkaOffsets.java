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

/// Tracks the offset up to which each partition is finished. Entries may finish in any order; a
/// partition is finished up to its first unfinished entry.
final class KafkaOffsets {
  private final Map<TopicPartition, PartitionProgress> partitions = new HashMap<>();
  private final Map<String, List<Place>> places = new HashMap<>();

  private record Place(TopicPartition partition, long offset) {}

  private static final class PartitionProgress {
    /// Offset to the record's timestamp in milliseconds.
    private final TreeMap<Long, Long> open = new TreeMap<>();

    private long next;
    private long committed = -1;

    private long done() {
      return open.isEmpty() ? next : open.firstKey();
    }
  }

  /// Adds a record that has been read.
  ///
  /// @param name identifies the entry; the same for a duplicate
  void read(ConsumerRecord<?, ?> record, String name) {
    TopicPartition partition = new TopicPartition(record.topic(), record.partition());
    PartitionProgress known = partitions.get(partition);
    if (known != null && record.offset() < known.committed) {
      // The partition was recreated: its old records are gone and its offsets repeat.
      forget(List.of(partition));
    }
    PartitionProgress progress =
        partitions.computeIfAbsent(partition, _ -> new PartitionProgress());
    progress.open.put(record.offset(), record.timestamp());
    progress.next = Math.max(progress.next, record.offset() + 1);
    places.computeIfAbsent(name, _ -> new ArrayList<>()).add(new Place(partition, record.offset()));
  }

  void finished(String name) {
    List<Place> done = places.remove(name);
    if (done != null) {
      for (Place place : done) {
        PartitionProgress progress = partitions.get(place.partition());
        if (progress != null) {
          progress.open.remove(place.offset());
        }
      }
    }
  }

  Map<TopicPartition, OffsetAndMetadata> due() {
    Map<TopicPartition, OffsetAndMetadata> due = new HashMap<>();
    partitions.forEach(
        (partition, progress) -> {
          if (progress.done() > progress.committed) {
            due.put(partition, new OffsetAndMetadata(progress.done()));
          }
        });
    return due;
  }

  void committed(Map<TopicPartition, OffsetAndMetadata> offsets) {
    offsets.forEach(
        (partition, offset) -> {
          PartitionProgress progress = partitions.get(partition);
          if (progress != null) {
            progress.committed = offset.offset();
          }
        });
  }

  /// Drops partitions that other consumers have taken over.
  void forget(Collection<TopicPartition> lost) {
    partitions.keySet().removeAll(lost);
    places
        .values()
        .removeIf(
            list -> {
              list.removeIf(place -> lost.contains(place.partition()));
              return list.isEmpty();
            });
  }

  /// The number of unfinished records.
  int open() {
    return partitions.values().stream().mapToInt(progress -> progress.open.size()).sum();
  }

  /// The timestamp of the oldest unfinished record, in milliseconds.
  OptionalLong oldest() {
    return partitions.values().stream()
        .filter(progress -> !progress.open.isEmpty())
        .mapToLong(progress -> progress.open.firstEntry().getValue())
        .min();
  }
}
