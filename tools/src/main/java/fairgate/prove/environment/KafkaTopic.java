package fairgate.prove.environment;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.KafkaFuture;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.jspecify.annotations.Nullable;

/// Reads a topic and its committed offsets directly, without a consumer group.
final class KafkaTopic implements AutoCloseable {
  private static final String TOPIC = "fairgate.orders";
  private static final String READER = "fairgate-ledger";
  private static final JsonMapper JSON = JsonMapper.builder().build();
  private static final Duration POLL = Duration.ofMillis(200);
  private static final long PATIENCE_SECONDS = 5;
  private static final Duration MOST = Duration.ofSeconds(30);

  private final String address;
  private @Nullable Admin admin;

  KafkaTopic(String address) {
    this.address = address;
  }

  private Properties properties() {
    Properties all = new Properties();
    all.put("bootstrap.servers", address);
    all.put("client.id", "fairgate-prove");
    all.put("request.timeout.ms", "2000");
    all.put("default.api.timeout.ms", "5000");
    all.put("reconnect.backoff.max.ms", "200");
    all.put("auto.include.jmx.reporter", "false");
    return all;
  }

  private synchronized Admin admin() {
    Admin known = admin;
    if (known == null) {
      known = Admin.create(properties());
      admin = known;
    }
    return known;
  }

  private static <T> T ask(KafkaFuture<T> question) throws IOException {
    try {
      return question.get(PATIENCE_SECONDS, TimeUnit.SECONDS);
    } catch (ExecutionException | TimeoutException e) {
      throw new IOException("Kafka: " + e, e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException("interrupted", e);
    }
  }

  boolean answers() {
    try {
      return !ask(admin().describeCluster().nodes()).isEmpty();
    } catch (IOException _) {
      return false;
    }
  }

  /// The number of records after the committed offset of the ledger's reader.
  long lag() throws IOException {
    Map<TopicPartition, Long> ends = ends();
    Map<TopicPartition, OffsetAndMetadata> read =
        ask(admin().listConsumerGroupOffsets(READER).partitionsToOffsetAndMetadata());
    long lag = 0;
    for (Map.Entry<TopicPartition, Long> end : ends.entrySet()) {
      OffsetAndMetadata at = read.get(end.getKey());
      // An offset of a deleted topic does not apply to this one.
      long committed = at == null || at.offset() > end.getValue() ? 0 : at.offset();
      lag += end.getValue() - committed;
    }
    return lag;
  }

  /// Empty where there is no topic yet.
  private Map<TopicPartition, Long> ends() throws IOException {
    Map<TopicPartition, Long> ends = new HashMap<>();
    if (!ask(admin().listTopics().names()).contains(TOPIC)) {
      return ends;
    }
    var topics = ask(admin().describeTopics(List.of(TOPIC)).allTopicNames());
    Map<TopicPartition, OffsetSpec> asked = new HashMap<>();
    for (var topic : topics.values()) {
      topic
          .partitions()
          .forEach(p -> asked.put(new TopicPartition(TOPIC, p.partition()), OffsetSpec.latest()));
    }
    ask(admin().listOffsets(asked).all()).forEach((part, end) -> ends.put(part, end.offset()));
    return ends;
  }

  /// From the beginning to where it ends now.
  List<Broker.KafkaRecord> all() throws IOException {
    Map<TopicPartition, Long> ends = ends();
    List<Broker.KafkaRecord> all = new ArrayList<>();
    long deadline = System.nanoTime() + MOST.toNanos();
    try (var consumer =
        new KafkaConsumer<>(
            properties(), new ByteArrayDeserializer(), new ByteArrayDeserializer())) {
      consumer.assign(ends.keySet());
      consumer.seekToBeginning(ends.keySet());
      while (ends.entrySet().stream()
          .anyMatch(end -> consumer.position(end.getKey()) < end.getValue())) {
        if (System.nanoTime() > deadline) {
          throw new IOException("Kafka does not give back what it was given");
        }
        for (ConsumerRecord<byte[], byte[]> one : consumer.poll(POLL)) {
          all.add(passed(one.value()));
        }
      }
    } catch (KafkaException e) {
      throw new IOException("Kafka: " + e, e);
    }
    return all;
  }

  private static Broker.KafkaRecord passed(byte[] value) throws IOException {
    JsonNode entry = JSON.readTree(value);
    JsonNode event = entry.path("event");
    return new Broker.KafkaRecord(
        entry.path("product_id").asText(),
        event.path("epoch").asLong(),
        event.path("seq").asLong());
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
