package fairgate.platform.events;

import fairgate.kernel.ServiceUnavailable;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Properties;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.errors.RecordTooLargeException;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.apache.kafka.common.serialization.StringSerializer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// A sink that publishes outbox entries to Kafka. Returns after all in-sync replicas have all of
/// them.
///
/// A failed batch may be published in part; the retry publishes all of it, and the ledger ignores
/// duplicates.
final class KafkaSink implements OutboxSink, AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(KafkaSink.class);
  private static final Duration RETRY_AFTER = Duration.ofSeconds(1);

  /// Longer than the producer's own delivery timeout.
  private static final long TIMEOUT_SECONDS = 15;

  private final KafkaLog.Settings settings;
  private final String node;
  private final KafkaTopicAdmin topicAdmin;
  private @Nullable Producer<String, byte[]> producer;
  private boolean closed;
  private volatile boolean publishing = true;

  KafkaSink(KafkaLog.Settings settings, String node, KafkaTopicAdmin topicAdmin) {
    this.settings = settings;
    this.node = node;
    this.topicAdmin = topicAdmin;
  }

  /// Whether the last batch was published.
  boolean publishing() {
    return publishing;
  }

  @Override
  public void apply(OutboxStream stream, List<OutboxEntry> entries) {
    topicAdmin.ensureTopic();
    Producer<String, byte[]> out = producer();
    try {
      List<Future<RecordMetadata>> sent = new ArrayList<>(entries.size());
      for (OutboxEntry entry : entries) {
        sent.add(out.send(KafkaRecords.of(stream, entry)));
      }
      for (Future<RecordMetadata> one : sent) {
        RecordMetadata _ = one.get(TIMEOUT_SECONDS, TimeUnit.SECONDS);
      }
      publishing = true;
    } catch (ExecutionException e) {
      throw failed(out, e.getCause());
    } catch (KafkaException | IllegalStateException | TimeoutException e) {
      // A producer throws IllegalStateException after another relay's failure has closed it.
      throw failed(out, e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new ServiceUnavailable("interrupted while waiting for kafka", RETRY_AFTER);
    }
  }

  /// An entry that is too large fails permanently. All other failures are temporary, but the
  /// producer may be unusable after them.
  private RuntimeException failed(Producer<String, byte[]> out, @Nullable Throwable cause) {
    if (cause instanceof RecordTooLargeException) {
      return new IllegalArgumentException("kafka: " + cause.getMessage(), cause);
    }
    // The topic may have been recreated or deleted.
    topicAdmin.invalidateTopic();
    publishing = false;
    release(out);
    return new ServiceUnavailable("kafka: " + cause, RETRY_AFTER);
  }

  private synchronized Producer<String, byte[]> producer() {
    if (closed) {
      throw new ServiceUnavailable("kafka: this node is stopping", RETRY_AFTER);
    }
    Producer<String, byte[]> known = producer;
    if (known == null) {
      Properties all = settings.properties(node);
      all.put("acks", "all");
      all.put("enable.idempotence", "true");
      all.put("max.in.flight.requests.per.connection", "5");
      all.put("delivery.timeout.ms", "6000");
      all.put("max.block.ms", "5000");
      all.put("batch.size", "65536");
      known = made(all);
      producer = known;
    }
    return known;
  }

  private static Producer<String, byte[]> made(Properties all) {
    try {
      return new KafkaProducer<>(all, new StringSerializer(), new ByteArraySerializer());
    } catch (KafkaException e) {
      throw new ServiceUnavailable("kafka: " + e, RETRY_AFTER);
    }
  }

  /// Closes the producer. The next one sends its unsent entries again.
  private synchronized void release(Producer<String, byte[]> out) {
    if (Objects.equals(producer, out)) {
      producer = null;
    }
    try {
      out.close(Duration.ZERO);
    } catch (KafkaException e) {
      LOG.debug("Closing a Kafka producer failed", e);
    }
  }

  @Override
  public synchronized void close() {
    closed = true;
    Producer<String, byte[]> known = producer;
    if (known != null) {
      release(known);
    }
  }
}
