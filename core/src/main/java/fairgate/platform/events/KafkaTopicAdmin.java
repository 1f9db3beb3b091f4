package fairgate.platform.events;

import fairgate.kernel.ServiceUnavailable;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Function;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.ListOffsetsResult.ListOffsetsResultInfo;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.KafkaFuture;
import org.apache.kafka.common.Node;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.errors.TopicExistsException;
import org.apache.kafka.common.errors.UnknownTopicOrPartitionException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Creates and inspects the topic and its consumer group. Blocks. Thread-safe.
final class KafkaTopicAdmin implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(KafkaTopicAdmin.class);
  private static final Duration RETRY_AFTER = Duration.ofSeconds(1);
  private static final long TIMEOUT_SECONDS = 5;

  /// The partitions of the topic. Each sale is in one of them.
  private static final int PARTITIONS = 12;

  private final KafkaLog.Settings settings;
  private final String node;
  private @Nullable Admin admin;
  private volatile boolean topicKnown;
  private volatile @Nullable Uuid topicId;
  private volatile int resets;

  KafkaTopicAdmin(KafkaLog.Settings settings, String node) {
    this.settings = settings;
    this.node = node;
  }

  /// The number of times the topic was found recreated.
  int resets() {
    return resets;
  }

  /// Makes the next use check the topic and create it if it is missing.
  void invalidateTopic() {
    topicKnown = false;
  }

  private synchronized void found(Uuid id) {
    Uuid known = topicId;
    topicId = id;
    if (known != null && !known.equals(id)) {
      resets++;
      LOG.error(
          "Topic {} has been recreated; entries that the ledger lacks are published again from"
              + " the outboxes, as far as they retain them",
          KafkaRecords.TOPIC);
    }
  }

  /// Creates the topic unless it exists, with the brokers' default number of replicas.
  void ensureTopic() {
    if (topicKnown) {
      return;
    }
    if (partitions().isEmpty()) {
      NewTopic topic =
          new NewTopic(KafkaRecords.TOPIC, Optional.of(PARTITIONS), Optional.empty())
              .configs(Map.of("retention.ms", Long.toString(Duration.ofDays(30).toMillis())));
      Void _ =
          await(
              client -> client.createTopics(List.of(topic)).all(),
              cause -> cause instanceof TopicExistsException);
      LOG.info("Created a topic; name={} partitions={}", KafkaRecords.TOPIC, PARTITIONS);
    }
    topicKnown = true;
  }

  int brokers() {
    Collection<Node> brokers = await(client -> client.describeCluster().nodes(), _ -> false);
    return brokers == null ? 0 : brokers.size();
  }

  /// The end offsets of the topic; empty when it does not exist.
  Map<TopicPartition, Long> ends() {
    return offsets(partitions(), OffsetSpec.latest());
  }

  /// The number of records before these offsets that are not in the ledger.
  long missing(Map<TopicPartition, Long> ends) {
    if (ends.isEmpty()) {
      return 0;
    }
    Map<TopicPartition, OffsetAndMetadata> committed =
        await(
            client ->
                client
                    .listConsumerGroupOffsets(KafkaLedgerConsumer.GROUP)
                    .partitionsToOffsetAndMetadata(),
            _ -> false);
    Map<TopicPartition, Long> begins = offsets(List.copyOf(ends.keySet()), OffsetSpec.earliest());
    long missing = 0;
    for (Map.Entry<TopicPartition, Long> end : ends.entrySet()) {
      OffsetAndMetadata done = committed == null ? null : committed.get(end.getKey());
      long begin = begins.getOrDefault(end.getKey(), 0L);
      long from = done == null ? begin : Math.max(begin, done.offset());
      missing += Math.max(0, end.getValue() - from);
    }
    return missing;
  }

  private List<TopicPartition> partitions() {
    var topics =
        await(
            client -> client.describeTopics(List.of(KafkaRecords.TOPIC)).allTopicNames(),
            cause -> cause instanceof UnknownTopicOrPartitionException);
    List<TopicPartition> partitions = new ArrayList<>();
    if (topics == null) {
      invalidateTopic();
    } else {
      topics
          .values()
          .forEach(
              topic -> {
                found(topic.topicId());
                topic
                    .partitions()
                    .forEach(p -> partitions.add(new TopicPartition(topic.name(), p.partition())));
              });
    }
    return partitions;
  }

  private Map<TopicPartition, Long> offsets(List<TopicPartition> partitions, OffsetSpec which) {
    if (partitions.isEmpty()) {
      return Map.of();
    }
    Map<TopicPartition, OffsetSpec> request = new HashMap<>();
    partitions.forEach(partition -> request.put(partition, which));
    Map<TopicPartition, ListOffsetsResultInfo> answer =
        await(client -> client.listOffsets(request).all(), _ -> false);
    Map<TopicPartition, Long> offsets = new HashMap<>();
    if (answer != null) {
      answer.forEach((partition, info) -> offsets.put(partition, info.offset()));
    }
    return offsets;
  }

  /// Waits for the result; null for an expected failure.
  private <T> @Nullable T await(
      Function<Admin, KafkaFuture<T>> request, Function<@Nullable Throwable, Boolean> expected) {
    try {
      return request.apply(admin()).get(TIMEOUT_SECONDS, TimeUnit.SECONDS);
    } catch (ExecutionException e) {
      if (expected.apply(e.getCause())) {
        return null;
      }
      throw new ServiceUnavailable("kafka: " + e.getCause(), RETRY_AFTER);
    } catch (KafkaException | TimeoutException e) {
      throw new ServiceUnavailable("kafka: " + e, RETRY_AFTER);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new ServiceUnavailable("interrupted while waiting for kafka", RETRY_AFTER);
    }
  }

  private synchronized Admin admin() {
    Admin known = admin;
    if (known == null) {
      known = Admin.create(settings.properties(node));
      admin = known;
    }
    return known;
  }

  @Override
  public synchronized void close() {
    Admin known = admin;
    admin = null;
    if (known != null) {
      known.close(Duration.ZERO);
    }
  }
}
