package fairgate.platform.events;

import fairgate.kernel.ServiceUnavailable;
import fairgate.platform.events.OutboxSink.DeadLetters;
import fairgate.platform.run.PeriodicJob;
import java.time.Clock;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.function.LongSupplier;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Kafka between the relay and the ledger. The relay's sink publishes to the topic
/// `fairgate.orders`; a consumer on every node writes the ledger, each sale on one node.
///
/// No entry is lost: Redis entries are acknowledged after all in-sync replicas have them, Kafka
/// offsets are committed after PostgreSQL has the entries. Clients are created on first use, so the
/// server also starts while Kafka is unavailable or its name cannot be resolved.
public final class KafkaLog implements InTransit, AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(KafkaLog.class);
  private static final Duration CHECK_INTERVAL = Duration.ofSeconds(1);
  private static final Duration POLL_INTERVAL = Duration.ofMillis(20);
  private static final Duration QUIET_TIME = Duration.ofSeconds(1);
  private static final Duration RETRY_AFTER = Duration.ofSeconds(1);

  private final Settings settings;
  private final String node;
  private final KafkaTopicAdmin topicAdmin;
  private final KafkaSink sink;
  private final StopSignal stop = new StopSignal();
  private final PeriodicJob check =
      new PeriodicJob("kafka-check", CHECK_INTERVAL, this::check).withFirstPassAtOnce();
  private volatile @Nullable KafkaLedgerConsumer consumer;
  private volatile boolean up;
  private volatile long lag;

  private KafkaLog(Settings settings, String node) {
    this.settings = settings;
    this.node = node;
    this.topicAdmin = new KafkaTopicAdmin(settings, node);
    this.sink = new KafkaSink(settings, node, topicAdmin);
  }

  /// Creates the log without connecting.
  ///
  /// @param node the name of this node in the brokers' logs
  public static KafkaLog at(Settings settings, String node) {
    return new KafkaLog(settings, node);
  }

  /// The number of brokers. Blocks for up to five seconds; throws ServiceUnavailable when none
  /// responds.
  public int brokers() {
    return topicAdmin.brokers();
  }

  public OutboxSink sink() {
    return sink;
  }

  /// The dead letters for the relay, which parks entries that Kafka refuses. It does not count
  /// them, so it does not depend on PostgreSQL; the consumer does.
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

  /// Starts the consumer that writes the ledger. May be called once. Never fails: unavailable
  /// engines are waited for.
  public synchronized void start(
      OutboxSink ledger, DeadLetters letters, OutboxRelay.Settings relay, Clock clock) {
    if (consumer != null) {
      throw new IllegalStateException("the consumer has already been started");
    }
    KafkaLedgerConsumer started =
        new KafkaLedgerConsumer(
            new KafkaLedgerConsumer.Source(settings, node, topicAdmin),
            ledger,
            letters,
            relay,
            clock);
    consumer = started;
    started.start();
    check.start();
  }

  private void check() {
    try {
      lag = topicAdmin.missing(topicAdmin.ends());
      topicAdmin.ensureTopic();
      up = sink.publishing();
    } catch (ServiceUnavailable e) {
      LOG.debug("Kafka is unavailable", e);
      up = false;
    }
  }

  /// The status at the last check, at most a few seconds ago.
  public Status status() {
    KafkaLedgerConsumer running = consumer;
    return running == null
        ? new Status(up, false, lag, Duration.ZERO, 0)
        : new Status(up, running.writing(), lag, running.oldest(), running.letters());
  }

  @Override
  public void awaitArrived(Duration timeout) {
    awaitArrived(topicAdmin.ends(), System.nanoTime() + timeout.toNanos());
  }

  private void awaitArrived(Map<TopicPartition, Long> ends, long deadline) {
    long missing = topicAdmin.missing(ends);
    while (missing > 0) {
      if (System.nanoTime() - deadline > 0 || stop.stopped()) {
        throw new ServiceUnavailable(
            missing + " entries in kafka are not in the ledger yet", RETRY_AFTER);
      }
      stop.sleep(POLL_INTERVAL);
      missing = topicAdmin.missing(ends);
    }
  }

  @Override
  public void awaitQuiet(Duration timeout, LongSupplier arrived) {
    long deadline = System.nanoTime() + timeout.toNanos();
    awaitArrived(topicAdmin.ends(), deadline);
    while (true) {
      long before = arrived.getAsLong();
      stop.sleep(QUIET_TIME);
      awaitArrived(topicAdmin.ends(), deadline);
      if (arrived.getAsLong() == before) {
        return;
      }
      if (System.nanoTime() - deadline > 0) {
        throw new ServiceUnavailable("kafka: entries of the sale keep coming", RETRY_AFTER);
      }
    }
  }

  /// Stops the consumer and closes the clients. Unfinished entries are processed by other nodes or
  /// after the next start.
  @Override
  public void close() {
    stop.stop();
    check.close();
    KafkaLedgerConsumer running = consumer;
    if (running != null) {
      running.close();
    }
    sink.close();
    topicAdmin.close();
  }

  /// The state of the path through Kafka at this node's last check.
  ///
  /// @param up whether the brokers respond
  /// @param writing whether this node's last write from Kafka to the ledger succeeded
  /// @param lag the number of entries in Kafka that are not in the ledger, of all sales and nodes
  /// @param oldest the age of the oldest entry that this node has read and not finished
  /// @param deadLetters the number of parked entries at the last count
  public record Status(boolean up, boolean writing, long lag, Duration oldest, long deadLetters) {}

  /// The addresses and client settings of Kafka.
  ///
  /// @param servers `host:port` of the bootstrap servers
  /// @param client the operator's own client settings, such as `security.protocol`
  public record Settings(List<String> servers, Map<String, String> client) {
    private static final Pattern SERVER = Pattern.compile("(\\[[0-9a-fA-F:.]+]|[^:\\s]+):\\d{1,5}");

    public Settings {
      servers = List.copyOf(servers);
      client = Map.copyOf(client);
    }

    /// Settings with these addresses and no further client settings.
    public static Settings at(List<String> servers) {
      return new Settings(servers, Map.of());
    }

    /// Parses addresses separated by commas. Throws IllegalArgumentException with the first invalid
    /// one.
    public static List<String> servers(String list) {
      List<String> servers =
          Stream.of(list.split(",", -1)).map(String::strip).filter(one -> !one.isEmpty()).toList();
      for (String server : servers) {
        if (!SERVER.matcher(server).matches()) {
          throw new IllegalArgumentException(server + " is not host:port");
        }
      }
      return servers;
    }

    Properties properties(String node) {
      Properties all = new Properties();
      all.putAll(client);
      all.put("bootstrap.servers", String.join(",", servers));
      all.put("client.id", "fairgate-" + node);
      all.put("request.timeout.ms", "5000");
      all.put("default.api.timeout.ms", "10000");
      all.put("reconnect.backoff.max.ms", "2000");
      all.put("auto.include.jmx.reporter", "false");
      return all;
    }
  }
}
