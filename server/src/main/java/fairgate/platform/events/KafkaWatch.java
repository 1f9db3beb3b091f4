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
import org.apache.kafka.common.errors.TopicExistsException;
import org.apache.kafka.common.errors.UnknownTopicOrPartitionException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// What Kafka itself says of the topic and of the group that reads it. Blocks; for any thread.
final class KafkaWatch implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(KafkaWatch.class);
  private static final Duration RETRY_AFTER = Duration.ofSeconds(1);
  private static final long PATIENCE_SECONDS = 5;

  /// Sales are spread over them, each in one.
  private static final int PARTITIONS = 12;

  private final KafkaSettings settings;
  private final String node;
  private @Nullable Admin admin;
  private volatile boolean topicKnown;

  KafkaWatch(KafkaSettings settings, String node) {
    this.settings = settings;
    this.node = node;
  }

  /// Makes the topic unless it is there. Its replicas are as many as the brokers' default says.
  void ensureTopic() {
    if (topicKnown) {
      return;
    }
    if (partitions().isEmpty()) {
      NewTopic topic =
          new NewTopic(KafkaRecords.TOPIC, Optional.of(PARTITIONS), Optional.empty())
              .configs(Map.of("retention.ms", Long.toString(Duration.ofDays(30).toMillis())));
      Void _ =
          ask(
              client -> client.createTopics(List.of(topic)).all(),
              cause -> cause instanceof TopicExistsException);
      LOG.info("topic {} made, with {} partitions", KafkaRecords.TOPIC, PARTITIONS);
    }
    topicKnown = true;
  }

  /// How many brokers there are.
  int brokers() {
    Collection<Node> brokers = ask(client -> client.describeCluster().nodes(), _ -> false);
    return brokers == null ? 0 : brokers.size();
  }

  /// Where the topic ends now; empty where there is none.
  Map<TopicPartition, Long> ends() {
    return offsets(partitions(), OffsetSpec.latest());
  }

  /// How many records before these ends are not in the ledger.
  long missing(Map<TopicPartition, Long> ends) {
    if (ends.isEmpty()) {
      return 0;
    }
    Map<TopicPartition, OffsetAndMetadata> told =
        ask(
            client ->
                client.listConsumerGroupOffsets(KafkaFeed.GROUP).partitionsToOffsetAndMetadata(),
            _ -> false);
    Map<TopicPartition, Long> begins = offsets(List.copyOf(ends.keySet()), OffsetSpec.earliest());
    long missing = 0;
    for (Map.Entry<TopicPartition, Long> end : ends.entrySet()) {
      OffsetAndMetadata done = told == null ? null : told.get(end.getKey());
      long begin = begins.getOrDefault(end.getKey(), 0L);
      long from = done == null ? begin : Math.max(begin, done.offset());
      missing += Math.max(0, end.getValue() - from);
    }
    return missing;
  }

  private List<TopicPartition> partitions() {
    var topics =
        ask(
            client -> client.describeTopics(List.of(KafkaRecords.TOPIC)).allTopicNames(),
            cause -> cause instanceof UnknownTopicOrPartitionException);
    List<TopicPartition> partitions = new ArrayList<>();
    if (topics != null) {
      topics
          .values()
          .forEach(
              topic ->
                  topic
                      .partitions()
                      .forEach(
                          p -> partitions.add(new TopicPartition(topic.name(), p.partition()))));
    }
    return partitions;
  }

  private Map<TopicPartition, Long> offsets(List<TopicPartition> partitions, OffsetSpec which) {
    if (partitions.isEmpty()) {
      return Map.of();
    }
    Map<TopicPartition, OffsetSpec> question = new HashMap<>();
    partitions.forEach(partition -> question.put(partition, which));
    Map<TopicPartition, ListOffsetsResultInfo> answer =
        ask(client -> client.listOffsets(question).all(), _ -> false);
    Map<TopicPartition, Long> offsets = new HashMap<>();
    if (answer != null) {
      answer.forEach((partition, info) -> offsets.put(partition, info.offset()));
    }
    return offsets;
  }

  /// Asks and waits; null where the answer is a failure that is fine.
  private <T> @Nullable T ask(
      Function<Admin, KafkaFuture<T>> question, Function<@Nullable Throwable, Boolean> fine) {
    try {
      return question.apply(admin()).get(PATIENCE_SECONDS, TimeUnit.SECONDS);
    } catch (ExecutionException e) {
      if (fine.apply(e.getCause())) {
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
