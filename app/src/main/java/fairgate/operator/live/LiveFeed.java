package fairgate.operator.live;

import fairgate.kernel.ProductId;
import fairgate.kernel.ServiceUnavailable;
import fairgate.platform.events.RelayStatus;
import fairgate.platform.http.EventStream;
import fairgate.platform.json.JsonText;
import fairgate.platform.observe.Health;
import fairgate.platform.run.PeriodicJob;
import fairgate.sale.LiveCounters;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/// The streams of operators who watch sales on this node.
///
/// A sale that somebody watches is read once a second, and all its streams get the same text,
/// however many they are. What needs PostgreSQL is read every five seconds, and so is the question
/// whether each operator may still watch.
public final class LiveFeed implements AutoCloseable {
  /// The maximum number of open streams on a node.
  static final int MAX_STREAMS = 200;

  private static final long EVERY_MS = 1_000;
  private static final Duration SLOW_EVERY = Duration.ofSeconds(5);

  /// What the feed reads.
  ///
  /// @param counters of a sale, from Redis
  /// @param balanced whether Redis and the ledger agree; null while that cannot be said. Blocks
  record Sources(
      Function<ProductId, Future<LiveCounters>> counters,
      Function<Balance, @Nullable Boolean> balanced,
      PostgresRefundCounts refunds) {}

  /// A question for `Sources.balanced`.
  record Balance(ProductId product, LiveCounters counters) {}

  private final Vertx vertx;
  private final SaleHistory history;
  private final Sources sources;
  private final Map<ProductId, Watch> watches = new ConcurrentHashMap<>();
  private final AtomicInteger open = new AtomicInteger();
  private final PeriodicJob slow = new PeriodicJob("live-feed", SLOW_EVERY, this::readSlowly);
  private volatile Supplier<Health.Report> health =
      () -> new Health.Report(true, true, false, Map.of());
  private volatile Supplier<RelayStatus> relay =
      () -> {
        throw new IllegalStateException("the server has not started");
      };
  private long timer = -1;

  LiveFeed(Vertx vertx, SaleHistory history, Sources sources) {
    this.vertx = vertx;
    this.history = history;
    this.sources = sources;
  }

  /// Sets the sources of the server's state, which exist after this object.
  public void sources(Supplier<Health.Report> report, Supplier<RelayStatus> ledger) {
    health = report;
    relay = ledger;
  }

  void start() {
    timer = vertx.setPeriodic(EVERY_MS, _ -> watches.values().forEach(Watch::read));
    slow.start();
  }

  /// Takes a place for a stream; false when the node has too many. `open` or `giveBack` follows.
  public boolean reserve() {
    if (open.incrementAndGet() <= MAX_STREAMS) {
      return true;
    }
    open.decrementAndGet();
    return false;
  }

  /// Serves a stream that was just opened, in a reserved place.
  ///
  /// @param mayStay whether the operator may still watch; called now and then, may block
  public void open(ProductId product, BooleanSupplier mayStay, EventStream stream) {
    Viewer viewer = new Viewer(stream, mayStay);
    Watch watch =
        watches.compute(
            product,
            (_, known) -> {
              Watch found = known == null ? new Watch(product) : known;
              found.viewers.add(viewer);
              return found;
            });
    stream.onClose(
        () -> {
          open.decrementAndGet();
          watches.computeIfPresent(
              product,
              (_, known) -> {
                known.viewers.remove(viewer);
                return known.viewers.isEmpty() ? null : known;
              });
        });
    boolean _ = stream.send("", "history", past(product));
    watch.read();
  }

  private record Viewer(EventStream stream, BooleanSupplier mayStay) {}

  /// What PostgreSQL says of a sale, at most five seconds old.
  private record Slow(@Nullable Boolean balanced, PostgresRefundCounts.@Nullable Counts refunds) {}

  /// The streams of one sale.
  private final class Watch {
    private final ProductId product;
    private final List<Viewer> viewers = new CopyOnWriteArrayList<>();
    private volatile @Nullable Slow slowly;
    private volatile @Nullable LiveCounters last;
    private volatile boolean reading;

    Watch(ProductId product) {
      this.product = product;
    }

    void read() {
      if (reading) {
        return;
      }
      reading = true;
      sources
          .counters()
          .apply(product)
          .onComplete(
              done -> {
                reading = false;
                if (done.succeeded()) {
                  last = done.result();
                  send("now", json(done.result()));
                } else {
                  // Redis is away; what is known of the parts is more urgent than ever.
                  send("away", parts(JsonText.object()).toString());
                }
              });
    }

    private void send(String event, String json) {
      for (Viewer viewer : viewers) {
        // A full queue skips a second; the next one has everything.
        boolean _ = viewer.stream().send("", event, json);
      }
    }

    private String json(LiveCounters live) {
      JsonText json =
          counters(live, history.refusedSoFar(product))
              .put("state", live.state())
              .put("released", live.released())
              .put("pending_orders", live.pending())
              .put("missed", live.missed())
              .put("full_network", history.fullNetworksSoFar(product))
              .put("watching", viewers.size());
      Slow read = slowly;
      if (read != null) {
        json.putAny("balanced", read.balanced());
        PostgresRefundCounts.Counts refunds = read.refunds();
        if (refunds != null) {
          json.put(
              "refunds",
              JsonText.object().put("waiting", refunds.waiting()).put("failed", refunds.failed()));
        }
      }
      return parts(json).toString();
    }

    private JsonText parts(JsonText json) {
      Health.Report report = health.get();
      JsonText checks = JsonText.array();
      report
          .checks()
          .forEach(
              (name, status) ->
                  checks.add(
                      JsonText.object()
                          .put("name", name)
                          .put("up", status.up())
                          .put("degraded", status.degraded())
                          .put("detail", status.detail())));
      return json.put("checks", checks).put("ledger", ledger());
    }

    private JsonText ledger() {
      RelayStatus status = relay.get();
      JsonText json =
          JsonText.object()
              .put("working", status.working())
              .put("dead_letters", status.deadLetters());
      status.streams().stream()
          .filter(lag -> lag.product().equals(product))
          .forEach(
              lag ->
                  json.put("behind", lag.undelivered() + lag.pending())
                      .put("oldest_ms", lag.oldest().toMillis()));
      return json;
    }
  }

  /// Points of the graphs: the history, and later each snapshot.
  private static JsonText counters(LiveCounters live, long refused) {
    return JsonText.object()
        .put("server_time", live.now())
        .put("free", live.free())
        .put("held", live.held())
        .put("paid", live.confirmed())
        .put("waiting", live.waiting())
        .put("active", live.active())
        .put("ready", live.ready())
        .put("joined", live.joined())
        .put("admitted", live.admitted())
        .put("buyers", live.purchases())
        .put("refused", refused);
  }

  private String past(ProductId product) {
    JsonText points = JsonText.array();
    history
        .points(product)
        .forEach(point -> points.add(counters(point.counters(), point.refused())));
    return JsonText.object().put("points", points).toString();
  }

  private void readSlowly() {
    for (Watch watch : watches.values()) {
      LiveCounters live = watch.last;
      if (live != null) {
        watch.slowly =
            new Slow(
                orNull(() -> sources.balanced().apply(new Balance(watch.product, live))),
                orNull(() -> sources.refunds().of(watch.product)));
      }
      for (Viewer viewer : new ArrayList<>(watch.viewers)) {
        Boolean may = orNull(viewer.mayStay()::getAsBoolean);
        if (Boolean.FALSE.equals(may)) {
          viewer.stream().close();
        }
      }
    }
  }

  /// PostgreSQL is away: the value is unknown, and the view of Redis goes on.
  private static <T> @Nullable T orNull(Supplier<@Nullable T> read) {
    try {
      return read.get();
    } catch (ServiceUnavailable _) {
      return null;
    }
  }

  @Override
  public void close() {
    vertx.cancelTimer(timer);
    slow.close();
  }
}
