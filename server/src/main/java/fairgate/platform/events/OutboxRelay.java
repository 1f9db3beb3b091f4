package fairgate.platform.events;

import fairgate.platform.redis.RedisClient;
import java.time.Clock;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/// Reads the outbox streams of all sales and hands their entries to a sink, on one virtual thread;
/// of a cluster, on one for each Redis node, so that one that is away does not hold up the others.
///
/// At least once and never lost: an entry is acknowledged only after the sink has it. Any number of
/// nodes may run a relay; the consumer group shares the entries among them, and what a dead one
/// left behind is taken over. Within one relay entries go on in stream order.
public final class OutboxRelay implements AutoCloseable {
  private static final long STOP_MS = 5_000;
  private static final Duration LOOK_FOR_NODES = Duration.ofSeconds(1);

  private final RedisClient redis;
  private final String node;
  private final Supplier<? extends Collection<OutboxStream>> streams;
  private final OutboxSink sink;
  private final DeadLetters letters;
  private final RelaySettings settings;
  private final Clock clock;
  private final Pause pause = new Pause();
  private final Map<String, RelayLine> lines = new ConcurrentHashMap<>();
  private final Map<String, Thread> threads = new ConcurrentHashMap<>();
  private @Nullable Thread watch;

  /// @param node this relay's name among the consumers; stable over restarts if it can be
  /// @param streams the outboxes there are now; asked before every read
  public OutboxRelay(
      RedisClient redis,
      String node,
      Supplier<? extends Collection<OutboxStream>> streams,
      OutboxSink sink,
      DeadLetters letters,
      RelaySettings settings,
      Clock clock) {
    this.redis = redis;
    this.node = node;
    this.streams = streams;
    this.sink = sink;
    this.letters = letters;
    this.settings = settings;
    this.clock = clock;
    redis.nodes().forEach(name -> lines.put(name, line(name)));
  }

  /// Starts relaying; once. Never fails: engines that are away are waited for.
  public synchronized void start() {
    if (watch != null || !threads.isEmpty()) {
      throw new IllegalStateException("the relay has been started already");
    }
    lines.keySet().forEach(this::run);
    if (redis.clustered()) {
      watch = Thread.ofVirtual().name("outbox-relays").start(this::watch);
    }
  }

  /// The backlog as last measured, at most a few seconds ago.
  public RelayStatus status() {
    List<RelayStatus> all = lines.values().stream().map(RelayLine::status).toList();
    return all.size() == 1 ? all.getFirst() : RelayStatus.of(all, clock.instant());
  }

  /// Masters come and go; their streams move to others.
  private void watch() {
    while (!pause.stopped()) {
      redis.nodes().forEach(this::run);
      pause.rest(LOOK_FOR_NODES);
    }
  }

  private void run(String name) {
    RelayLine line = lines.computeIfAbsent(name, this::line);
    threads.computeIfAbsent(name, _ -> Thread.ofVirtual().name("outbox-relay").start(line::run));
  }

  private RelayLine line(String name) {
    return new RelayLine(
        redis,
        node,
        () -> streamsOn(name),
        new Delivery(sink, letters, settings, pause),
        settings,
        clock,
        pause);
  }

  private List<OutboxStream> streamsOn(String name) {
    return streams.get().stream().filter(stream -> redis.node(stream.key()).equals(name)).toList();
  }

  /// Stops after the batches under way. What was read and not finished stays pending in Redis.
  @Override
  public void close() {
    pause.stop();
    Thread watching = watch;
    if (watching != null) {
      end(watching);
    }
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
}
