package fairgate.platform.events;

import fairgate.kernel.ProductId;
import fairgate.kernel.ServiceUnavailable;
import fairgate.platform.events.OutboxSink.DeadLetters;
import fairgate.platform.events.StopSignal.Backoff;
import fairgate.platform.observe.OutageLog;
import fairgate.platform.redis.RedisClient;
import fairgate.platform.run.BlockingWork;
import fairgate.platform.run.PeriodicJob;
import java.time.Clock;
import java.time.Duration;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Reads the outbox streams of all sales and delivers their entries to a sink, on one virtual
/// thread; in a cluster on one for each Redis node, so that an unavailable node does not delay the
/// others.
///
/// Delivery is at least once: an entry is acknowledged only after the sink has it. Any number of
/// nodes may run a relay; the consumer group distributes the entries, and entries of a dead relay
/// are claimed by others. One relay delivers the entries of a stream in order.
public final class OutboxRelay implements AutoCloseable {
  private static final long STOP_MS = 5_000;
  private static final Duration NODE_CHECK_INTERVAL = Duration.ofSeconds(1);

  private final RedisClient redis;
  private final String node;
  private final Supplier<? extends Collection<OutboxStream>> streams;
  private final OutboxSink sink;
  private final DeadLetters letters;
  private final Settings settings;
  private final Clock clock;
  private final StopSignal stop = new StopSignal();
  private final Map<String, RelayLoop> loops = new ConcurrentHashMap<>();
  private final Map<String, Thread> threads = new ConcurrentHashMap<>();

  /// Starts a loop for each new master of a cluster.
  private final PeriodicJob masterCheck =
      new PeriodicJob("outbox-masters", NODE_CHECK_INTERVAL, this::startNewLoops);

  /// @param node the consumer name of this relay, preferably stable across restarts
  /// @param streams the current outboxes; read before every iteration
  public OutboxRelay(
      RedisClient redis,
      String node,
      Supplier<? extends Collection<OutboxStream>> streams,
      OutboxSink sink,
      DeadLetters letters,
      Settings settings,
      Clock clock) {
    this.redis = redis;
    this.node = node;
    this.streams = streams;
    this.sink = sink;
    this.letters = letters;
    this.settings = settings;
    this.clock = clock;
    redis.nodes().forEach(name -> loops.put(name, loop(name)));
  }

  /// Starts the relay. May be called once. Never fails: unavailable engines are waited for.
  public synchronized void start() {
    if (!threads.isEmpty()) {
      throw new IllegalStateException("the relay has already been started");
    }
    loops.keySet().forEach(this::run);
    if (redis.clustered()) {
      masterCheck.start();
    }
  }

  /// The backlog at the last measurement, at most a few seconds ago.
  public RelayStatus status() {
    if (!redis.clustered()) {
      return loops.values().iterator().next().status();
    }
    Map<String, RelayStatus> all = new HashMap<>();
    loops.forEach((name, loop) -> all.put(name, loop.status()));
    Map<ProductId, String> owners = new HashMap<>();
    streams.get().forEach(stream -> owners.put(stream.product(), redis.node(stream.key())));
    return RelayStatus.of(
        all, redis.nodes(), product -> owners.getOrDefault(product, ""), clock.instant());
  }

  private void startNewLoops() {
    redis.nodes().forEach(this::run);
  }

  private void run(String name) {
    RelayLoop loop = loops.computeIfAbsent(name, this::loop);
    threads.computeIfAbsent(name, _ -> BlockingWork.startBackground("outbox-relay", loop::run));
  }

  private RelayLoop loop(String name) {
    return new RelayLoop(
        redis,
        node,
        () -> streamsOn(name),
        new OutboxDelivery(sink, letters, settings, stop),
        settings,
        clock,
        stop);
  }

  private List<OutboxStream> streamsOn(String name) {
    return streams.get().stream().filter(stream -> redis.node(stream.key()).equals(name)).toList();
  }

  /// Stops after the current batches. Entries read and not finished stay pending in Redis.
  @Override
  public void close() {
    stop.stop();
    masterCheck.close();
    threads.values().forEach(OutboxRelay::end);
  }

  private static void end(Thread running) {
    try {
      if (!running.join(Duration.ofMillis(STOP_MS))) {
        running.interrupt();
      }
    } catch (InterruptedException e) {
      running.interrupt();
      Thread.currentThread().interrupt();
    }
  }

  /// The loop of one relay thread: it reads the outboxes of one Redis node and reconnects after
  /// failures.
  static final class RelayLoop {
    private static final Logger LOG = LoggerFactory.getLogger(RelayLoop.class);

    private final RedisClient redis;
    private final String consumer;
    private final Supplier<? extends Collection<OutboxStream>> streams;
    private final OutboxDelivery delivery;
    private final Settings settings;
    private final Clock clock;
    private final StopSignal stop;
    private final OutageLog outage = new OutageLog(LOG, "outbox relay");
    private volatile RelayStatus status;

    /// @param consumer the consumer name of the relay
    /// @param streams the current outboxes; read before every iteration
    RelayLoop(
        RedisClient redis,
        String consumer,
        Supplier<? extends Collection<OutboxStream>> streams,
        OutboxDelivery delivery,
        Settings settings,
        Clock clock,
        StopSignal stop) {
      this.redis = redis;
      this.consumer = consumer;
      this.streams = streams;
      this.delivery = delivery;
      this.settings = settings;
      this.clock = clock;
      this.stop = stop;
      this.status = delivery.status(List.of(), false, clock.instant());
    }

    RelayStatus status() {
      return status;
    }

    void run() {
      Backoff backoff = new Backoff(stop);
      while (!stop.stopped()) {
        try (OutboxReader reader = OutboxReader.open(redis, consumer)) {
          RelayIteration iteration =
              new RelayIteration(reader, delivery, settings, clock, s -> status = s);
          while (!stop.stopped()) {
            iteration.run(List.copyOf(streams.get()));
            outage.worked();
            backoff.reset();
          }
        } catch (ServiceUnavailable away) {
          if (!stop.stopped()) {
            outage.waits(away);
          }
          interrupted(backoff);
        } catch (RuntimeException broken) {
          LOG.error("The outbox relay failed; starting again", broken);
          interrupted(backoff);
        }
      }
    }

    private void interrupted(Backoff backoff) {
      if (!stop.stopped()) {
        status =
            new RelayStatus(
                status.streams(), status.deadLetters(), delivery.parked(), false, clock.instant());
        backoff.pause();
      }
    }
  }

  /// The settings of a relay.
  ///
  /// @param batch the maximum number of entries per read and stream, and per transaction
  /// @param block the time that a read waits for entries, and after which a new stream is noticed
  /// @param claimIdle the time after which an unfinished entry of another relay is claimed
  /// @param tries the number of tries before a refused entry is parked. It may depend on an entry
  ///   of a dead relay, so all tries together take longer than claiming
  /// @param firstRetry the pause before the second try; it doubles after each
  /// @param trimMargin the minimum number of finished entries that stay in the stream
  /// @param trimEvery the minimum time between two trims of a stream
  public record Settings(
      int batch,
      Duration block,
      Duration claimIdle,
      int tries,
      Duration firstRetry,
      int trimMargin,
      Duration trimEvery) {
    public static Settings standard() {
      return new Settings(
          1_000,
          Duration.ofMillis(500),
          Duration.ofSeconds(30),
          10,
          Duration.ofMillis(100),
          10_000,
          Duration.ofSeconds(10));
    }

    /// The interval at which the relay looks for entries to claim.
    Duration claimEvery() {
      return claimIdle.dividedBy(6);
    }
  }
}
