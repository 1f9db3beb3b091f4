package fairgate.platform.events;

import fairgate.kernel.ServiceUnavailable;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import org.apache.kafka.clients.consumer.CloseOptions;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRebalanceListener;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.WakeupException;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Reads the topic and writes the ledger: one consumer of the group `fairgate-ledger`, on a thread
/// of its own, for a consumer belongs to one thread and its waiting holds a virtual one's carrier.
///
/// Kafka is told how far it came only after the ledger has what it read. What it was not told comes
/// again, to this node or another, and changes nothing.
final class KafkaFeed implements AutoCloseable, Delivery.Listener, ConsumerRebalanceListener {
  static final String GROUP = "fairgate-ledger";

  private static final Logger LOG = LoggerFactory.getLogger(KafkaFeed.class);

  /// For leaving the group; who does not get through is missed after six seconds.
  private static final Duration FAREWELL = Duration.ofSeconds(1);

  private static final long STOP_MS = 5_000;
  private static final Duration COUNT_EVERY = Duration.ofSeconds(2);

  /// Records in hand while some are refused again and again, before no more are taken.
  private static final int MOST_OPEN = 20_000;

  private final KafkaSettings kafka;
  private final String node;
  private final KafkaWatch watch;
  private final Delivery delivery;
  private final RelaySettings settings;
  private final Pause pause;
  private final Clock clock;
  private KafkaOffsets offsets = new KafkaOffsets();
  private volatile @Nullable Consumer<String, byte[]> consumer;
  private volatile boolean writing;
  private volatile long oldest = Long.MAX_VALUE;
  private volatile long letters;
  private long countAt = System.nanoTime();
  private @Nullable Thread thread;

  /// What it reads and how.
  record Source(KafkaSettings kafka, String node, KafkaWatch watch) {}

  KafkaFeed(
      Source source, OutboxSink ledger, DeadLetters letters, RelaySettings settings, Clock clock) {
    this.kafka = source.kafka();
    this.node = source.node();
    this.watch = source.watch();
    this.settings = settings;
    this.pause = new Pause();
    this.delivery = new Delivery(ledger, letters, settings, pause);
    this.clock = clock;
  }

  synchronized void start() {
    thread = Thread.ofPlatform().daemon().name("kafka-ledger").start(this::run);
  }

  /// Whether the last step went well.
  boolean writing() {
    return writing;
  }

  /// How many entries are parked.
  long letters() {
    return letters;
  }

  /// Age of the oldest record in hand.
  Duration oldest() {
    long at = oldest;
    return at == Long.MAX_VALUE
        ? Duration.ZERO
        : Duration.ofMillis(Math.max(0, clock.millis() - at));
  }

  private void run() {
    Backoff backoff = new Backoff(pause);
    while (!pause.stopped()) {
      try {
        watch.ensureTopic();
        read(backoff);
      } catch (WakeupException stopping) {
        LOG.debug("the consumer was woken", stopping);
      } catch (ServiceUnavailable | KafkaException away) {
        startOver(backoff, away);
      } catch (RuntimeException broken) {
        LOG.error("the way from kafka to the ledger stumbled", broken);
        startOver(backoff, broken);
      }
    }
  }

  private void startOver(Backoff backoff, RuntimeException why) {
    if (!pause.stopped()) {
      LOG.warn("the way from kafka to the ledger starts over: {}", why.toString());
      writing = false;
      backoff.rest();
    }
  }

  private void read(Backoff backoff) {
    offsets = new KafkaOffsets();
    Consumer<String, byte[]> open = open();
    try {
      consumer = open;
      open.subscribe(List.of(KafkaRecords.TOPIC), this);
      while (!pause.stopped()) {
        round(open);
        writing = true;
        backoff.reset();
      }
    } finally {
      consumer = null;
      open.close(CloseOptions.timeout(FAREWELL));
    }
  }

  private Consumer<String, byte[]> open() {
    Properties all = kafka.properties(node);
    all.put("group.id", GROUP);
    all.put("enable.auto.commit", "false");
    all.put("auto.offset.reset", "earliest");
    all.put("allow.auto.create.topics", "false");
    all.put("session.timeout.ms", "6000");
    all.put("heartbeat.interval.ms", "2000");
    all.put("max.poll.records", Integer.toString(settings.batch()));
    return new KafkaConsumer<>(all, new StringDeserializer(), new ByteArrayDeserializer());
  }

  private void round(Consumer<String, byte[]> open) {
    if (offsets.open() > MOST_OPEN) {
      open.pause(open.assignment());
    } else {
      open.resume(open.paused());
    }
    deliver(open.poll(delivery.longestWait()));
    delivery.retry(this);
    commit(open);
    oldest = offsets.oldest().orElse(Long.MAX_VALUE);
    if (System.nanoTime() - countAt >= 0) {
      countAt = System.nanoTime() + COUNT_EVERY.toNanos();
      delivery.countLetters();
    }
    letters = delivery.open();
  }

  private void deliver(ConsumerRecords<String, byte[]> records) {
    Map<OutboxStream, List<OutboxEntry>> batches = new LinkedHashMap<>();
    for (ConsumerRecord<String, byte[]> record : records) {
      KafkaRecords.Arrived arrived = KafkaRecords.read(record);
      offsets.read(record, name(arrived.stream(), arrived.entry()));
      batches.computeIfAbsent(arrived.stream(), _ -> new ArrayList<>()).add(arrived.entry());
    }
    oldest = offsets.oldest().orElse(Long.MAX_VALUE);
    batches.forEach((stream, entries) -> delivery.deliver(stream, entries, this));
  }

  private void commit(Consumer<String, byte[]> open) {
    Map<TopicPartition, OffsetAndMetadata> due = offsets.due();
    if (!due.isEmpty()) {
      LOG.debug("in the ledger: {}", due);
      open.commitSync(due);
      offsets.committed(due);
    }
  }

  private static String name(OutboxStream stream, OutboxEntry entry) {
    return stream.product() + " " + stream.key() + " " + entry.id();
  }

  @Override
  public void finished(OutboxStream stream, List<OutboxEntry> entries) {
    entries.forEach(entry -> offsets.finished(name(stream, entry)));
  }

  @Override
  public void waiting() {
    writing = false;
  }

  /// Called inside `poll`: what is done is said before others take over.
  @Override
  public void onPartitionsRevoked(Collection<TopicPartition> partitions) {
    Consumer<String, byte[]> open = consumer;
    if (open != null) {
      commit(open);
    }
    offsets.forget(partitions);
  }

  @Override
  public void onPartitionsAssigned(Collection<TopicPartition> partitions) {
    LOG.debug("reads {}", partitions);
  }

  @Override
  public void onPartitionsLost(Collection<TopicPartition> partitions) {
    offsets.forget(partitions);
  }

  /// Stops after the batch under way. What Kafka was not told comes again.
  @Override
  public synchronized void close() {
    pause.stop();
    Consumer<String, byte[]> open = consumer;
    if (open != null) {
      open.wakeup();
    }
    Thread running = thread;
    if (running != null) {
      try {
        if (!running.join(Duration.ofMillis(STOP_MS))) {
          running.interrupt();
        }
      } catch (InterruptedException e) {
        running.interrupt();
        Thread.currentThread().interrupt();
      }
    }
  }
}
