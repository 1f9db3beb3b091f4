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

/// Hands outbox entries to Kafka. Returns once all in-sync replicas have every one of them.
///
/// A batch that failed may be there in part; its repeat makes it whole, and the ledger does not
/// mind what comes twice.
final class KafkaSink implements OutboxSink, AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(KafkaSink.class);
  private static final Duration RETRY_AFTER = Duration.ofSeconds(1);

  /// Longer than the producer itself tries to deliver.
  private static final long PATIENCE_SECONDS = 15;

  private final KafkaSettings settings;
  private final String node;
  private final KafkaWatch watch;
  private @Nullable Producer<String, byte[]> producer;
  private boolean closed;

  KafkaSink(KafkaSettings settings, String node, KafkaWatch watch) {
    this.settings = settings;
    this.node = node;
    this.watch = watch;
  }

  @Override
  public void apply(OutboxStream stream, List<OutboxEntry> entries) {
    watch.ensureTopic();
    Producer<String, byte[]> out = producer();
    try {
      List<Future<RecordMetadata>> sent = new ArrayList<>(entries.size());
      for (OutboxEntry entry : entries) {
        sent.add(out.send(KafkaRecords.of(stream, entry)));
      }
      for (Future<RecordMetadata> one : sent) {
        RecordMetadata _ = one.get(PATIENCE_SECONDS, TimeUnit.SECONDS);
      }
    } catch (ExecutionException e) {
      throw failed(out, e.getCause());
    } catch (KafkaException | IllegalStateException | TimeoutException e) {
      // A producer says IllegalState when another relay's failure has let it go.
      throw failed(out, e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new ServiceUnavailable("interrupted while waiting for kafka", RETRY_AFTER);
    }
  }

  /// An entry that is too large never gets through. All else passes, though perhaps not with this
  /// producer: after some faults it takes nothing more.
  private RuntimeException failed(Producer<String, byte[]> out, @Nullable Throwable cause) {
    if (cause instanceof RecordTooLargeException) {
      return new IllegalArgumentException("kafka: " + cause.getMessage(), cause);
    }
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

  /// Lets the producer go; what it still held is sent again by the next one.
  private synchronized void release(Producer<String, byte[]> out) {
    if (Objects.equals(producer, out)) {
      producer = null;
    }
    try {
      out.close(Duration.ZERO);
    } catch (KafkaException e) {
      LOG.debug("a producer did not end well", e);
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
