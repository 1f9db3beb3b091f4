package fairgate.platform.events;

import fairgate.kernel.ServiceUnavailable;
import java.time.Clock;
import java.time.Duration;
import java.util.Map;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Kafka between the relay and the ledger: the relay's sink publishes to the topic
/// `fairgate.orders`, and a consumer on every node writes the ledger, each sale on one of them.
///
/// Nothing is lost on either leg: Redis is told after all in-sync replicas have an entry, Kafka
/// after PostgreSQL has it. Clients are made when they are first needed, so a Kafka that is away,
/// or whose name is not known yet, keeps no server from starting.
public final class KafkaLog implements InTransit, AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(KafkaLog.class);
  private static final Duration LOOK_EVERY = Duration.ofSeconds(1);
  private static final Duration ASK_EVERY = Duration.ofMillis(20);
  private static final Duration QUIET = Duration.ofSeconds(1);
  private static final Duration RETRY_AFTER = Duration.ofSeconds(1);

  private final KafkaSettings settings;
  private final String node;
  private final KafkaWatch watch;
  private final KafkaSink sink;
  private final Pause pause = new Pause();
  private volatile @Nullable KafkaFeed feed;
  private volatile boolean up;
  private volatile long lag;

  private KafkaLog(KafkaSettings settings, String node) {
    this.settings = settings;
    this.node = node;
    this.watch = new KafkaWatch(settings, node);
    this.sink = new KafkaSink(settings, node, watch);
  }

  /// The Kafka at these addresses; nothing is connected yet.
  ///
  /// @param node this node's name, for the brokers' logs
  public static KafkaLog at(KafkaSettings settings, String node) {
    return new KafkaLog(settings, node);
  }

  /// Asks how many brokers there are. Blocks, for five seconds at most; throws ServiceUnavailable
  /// when none answers.
  public int brokers() {
    return watch.brokers();
  }

  /// For the relay.
  public OutboxSink sink() {
    return sink;
  }

  /// The letters as the relay needs them: it parks what Kafka will not take, and leaves the
  /// counting to the feed, so as not to wait for a PostgreSQL it has no business with.
  public static DeadLetters uncounted(DeadLetters letters) {
    return new DeadLetters() {
      @Override
      public void park(OutboxStream stream, OutboxEntry entry, String error, int tries) {
        letters.park(stream, entry, error, tries);
      }

      @Override
      public long open() {
        return 0;
      }
    };
  }

  /// Starts writing what is in the topic to the ledger; once. Never fails: engines that are away
  /// are waited for.
  public synchronized void start(
      OutboxSink ledger, DeadLetters letters, RelaySettings relay, Clock clock) {
    if (feed != null) {
      throw new IllegalStateException("the feed has been started already");
    }
    KafkaFeed started =
        new KafkaFeed(new KafkaFeed.Source(settings, node, watch), ledger, letters, relay, clock);
    feed = started;
    started.start();
    Thread.ofVirtual().name("kafka-watch").start(this::look);
  }

  private void look() {
    while (!pause.stopped()) {
      try {
        lag = watch.missing(watch.ends());
        up = true;
      } catch (ServiceUnavailable away) {
        LOG.debug("kafka: {}", away.getMessage());
        up = false;
      }
      pause.rest(LOOK_EVERY);
    }
  }

  /// As last looked at, at most some seconds ago.
  public KafkaStatus status() {
    KafkaFeed running = feed;
    return running == null
        ? new KafkaStatus(up, false, lag, Duration.ZERO, 0)
        : new KafkaStatus(up, running.writing(), lag, running.oldest(), running.letters());
  }

  @Override
  public void awaitArrived(Duration patience) {
    awaitArrived(watch.ends(), System.nanoTime() + patience.toNanos());
  }

  private void awaitArrived(Map<TopicPartition, Long> ends, long deadline) {
    long missing = watch.missing(ends);
    while (missing > 0) {
      if (System.nanoTime() - deadline > 0 || pause.stopped()) {
        throw new ServiceUnavailable(
            "the ledger has still to read " + missing + " entries from kafka", RETRY_AFTER);
      }
      pause.rest(ASK_EVERY);
      missing = watch.missing(ends);
    }
  }

  @Override
  public void awaitQuiet(Duration patience) {
    long deadline = System.nanoTime() + patience.toNanos();
    Map<TopicPartition, Long> before = watch.ends();
    while (true) {
      awaitArrived(before, deadline);
      pause.rest(QUIET);
      Map<TopicPartition, Long> now = watch.ends();
      if (now.equals(before)) {
        return;
      }
      before = now;
    }
  }

  /// Stops reading and lets the brokers go. What is under way goes on elsewhere, or after the next
  /// start.
  @Override
  public void close() {
    pause.stop();
    KafkaFeed running = feed;
    if (running != null) {
      running.close();
    }
    sink.close();
    watch.close();
  }
}
