package fairgate.platform.events;

import fairgate.kernel.ServiceUnavailable;
import fairgate.platform.events.OutboxSink.DeadLetters;
import fairgate.platform.events.StopSignal.Backoff;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.Set;
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

/// Reads the topic and writes the ledger: one consumer of the group `fairgate-ledger`. It has a
/// platform thread of its own, because a consumer is bound to one thread and would pin the carrier
/// of a virtual thread while it polls.
///
/// Offsets are committed only after the ledger has the entries. Uncommitted entries are delivered
/// again, to this node or another; a repeat changes nothing.
final class KafkaLedgerConsumer
    implements AutoCloseable, OutboxDelivery.Listener, ConsumerRebalanceListener {
  static final String GROUP = "fairgate-ledger";

  private static final Logger LOG = LoggerFactory.getLogger(KafkaLedgerConsumer.class);

  /// The time to leave the group. A member that cannot leave is removed after six seconds.
  private static final Duration LEAVE_TIMEOUT = Duration.ofSeconds(1);

  private static final long STOP_MS = 5_000;
  private static final Duration COUNT_EVERY = Duration.ofSeconds(2);

  /// The number of unfinished records above which reading pauses, because some are refused
  /// repeatedly.
  private static final int MAX_UNFINISHED = 20_000;

  private final KafkaLog.Settings kafka;
  private final String node;
  private final KafkaTopicAdmin topicAdmin;
  private final OutboxDelivery delivery;
  private final OutboxRelay.Settings settings;
  private final StopSignal stop;
  private final Clock clock;
  private KafkaOffsets offsets = new KafkaOffsets();
  private final Set<TopicPartition> seenPartitions = new HashSet<>();
  private int resetsSeen;

  /// Whether the topic was recreated since the previous consumer.
  private boolean topicRecreated;

  private volatile @Nullable Consumer<String, byte[]> consumer;
  private volatile boolean writing;
  private volatile long oldest = Long.MAX_VALUE;
  private volatile long letters;
  private long countAt = System.nanoTime();
  private @Nullable Thread thread;

  record Source(KafkaLog.Settings kafka, String node, KafkaTopicAdmin topicAdmin) {}

  KafkaLedgerConsumer(
      Source source,
      OutboxSink ledger,
      DeadLetters letters,
      OutboxRelay.Settings settings,
      Clock clock) {
    this.kafka = source.kafka();
    this.node = source.node();
    this.topicAdmin = source.topicAdmin();
    this.settings = settings;
    this.stop = new StopSignal();
    this.delivery = new OutboxDelivery(ledger, letters, settings, stop);
    this.clock = clock;
  }

  synchronized void start() {
    thread = Thread.ofPlatform().daemon().name("kafka-ledger").start(this::run);
  }

  /// Whether the last step succeeded.
  boolean writing() {
    return writing;
  }

  long letters() {
    return letters;
  }

  /// The age of the oldest unfinished record.
  Duration oldest() {
    long at = oldest;
    return at == Long.MAX_VALUE
        ? Duration.ZERO
        : Duration.ofMillis(Math.max(0, clock.millis() - at));
  }

  private void run() {
    Backoff backoff = new Backoff(stop);
    while (!stop.stopped()) {
      try {
        topicAdmin.ensureTopic();
        read(backoff);
      } catch (WakeupException stopping) {
        LOG.debug("Kafka consumer was woken to stop", stopping);
      } catch (ServiceUnavailable | KafkaException away) {
        restart(backoff, away);
      } catch (RuntimeException broken) {
        LOG.error("Kafka consumer failed", broken);
        restart(backoff, broken);
      }
    }
  }

  private void restart(Backoff backoff, RuntimeException why) {
    if (!stop.stopped()) {
      LOG.warn("Kafka consumer restarts from the last committed offsets", why);
      writing = false;
      backoff.pause();
    }
  }

  private void read(Backoff backoff) {
    offsets = new KafkaOffsets();
    int resets = topicAdmin.resets();
    topicRecreated = resets > resetsSeen;
    resetsSeen = resets;
    seenPartitions.clear();
    Consumer<String, byte[]> open = open();
    try {
      consumer = open;
      open.subscribe(List.of(KafkaRecords.TOPIC), this);
      while (!stop.stopped() && topicAdmin.resets() == resets) {
        round(open);
        writing = true;
        backoff.reset();
      }
      if (!stop.stopped()) {
        // Offsets of the old topic are invalid for the new one.
        offsets = new KafkaOffsets();
      }
    } finally {
      consumer = null;
      open.close(CloseOptions.timeout(LEAVE_TIMEOUT));
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
    if (offsets.open() > MAX_UNFINISHED) {
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
      KafkaRecords.ReceivedEntry arrived = KafkaRecords.read(record);
      offsets.read(record, OutboxDelivery.name(arrived.stream(), arrived.entry()));
      batches.computeIfAbsent(arrived.stream(), _ -> new ArrayList<>()).add(arrived.entry());
    }
    oldest = offsets.oldest().orElse(Long.MAX_VALUE);
    batches.forEach((stream, entries) -> delivery.deliver(stream, entries, this));
  }

  private void commit(Consumer<String, byte[]> open) {
    Map<TopicPartition, OffsetAndMetadata> due = offsets.due();
    if (!due.isEmpty()) {
      LOG.debug("Committing offsets; offsets={}", due);
      open.commitSync(due);
      offsets.committed(due);
    }
  }

  @Override
  public void finished(OutboxStream stream, List<OutboxEntry> entries) {
    entries.forEach(entry -> offsets.finished(OutboxDelivery.name(stream, entry)));
  }

  @Override
  public void unavailable() {
    writing = false;
  }

  /// Called inside `poll`. Commits finished entries before other consumers take over.
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
    LOG.debug("Partitions assigned; partitions={}", partitions);
    Consumer<String, byte[]> open = consumer;
    List<TopicPartition> first = partitions.stream().filter(seenPartitions::add).toList();
    if (topicRecreated && open != null && !first.isEmpty()) {
      // The committed offsets may belong to an earlier topic of this name.
      open.seekToBeginning(first);
    }
  }

  @Override
  public void onPartitionsLost(Collection<TopicPartition> partitions) {
    offsets.forget(partitions);
  }

  /// Stops after the current batch. Uncommitted entries are delivered again.
  @Override
  public synchronized void close() {
    stop.stop();
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
