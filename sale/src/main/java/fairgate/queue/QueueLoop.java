package fairgate.queue;

import fairgate.catalog.SaleKeys;
import fairgate.kernel.ProductId;
import fairgate.kernel.SessionId;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// The loop that moves places forward. Each pass ends places that are over and fills free ones.
///
/// All nodes run it. Two passes at the same time do no harm: each consists of two scripts that
/// decide by the state they find. No state is lost when a node dies.
public final class QueueLoop implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(QueueLoop.class);

  /// Maximum number of places that one script run moves, so that a run takes milliseconds.
  private static final int MOST = 250;

  private static final Duration ALARM_PAUSE = Duration.ofMinutes(1);

  /// Interval between passes of a sale in which no place can move, ms. Another node may have
  /// changed the sale. It is much shorter than the time without a pass that counts as an outage;
  /// see `sale_clock.lua`.
  private static final long IDLE_MS = 2_000;

  private static final long REACHED_NANOS = TimeUnit.SECONDS.toNanos(1);
  private static final long TOLD_TOGETHER_MS = 10;

  private final Vertx vertx;
  private final QueueScripts scripts;
  private final QueueFeature.Config config;
  private final Supplier<Collection<ProductId>> products;
  private final QueueMeters meters;
  private final QueueAudit audit;
  private final Map<ProductId, Runner> runners = new ConcurrentHashMap<>();
  private final List<Consumer<List<SessionId>>> onReady = new CopyOnWriteArrayList<>();
  private final List<Consumer<ProductId>> onOldList = new CopyOnWriteArrayList<>();
  private final AtomicLong nextAlarm = new AtomicLong(System.nanoTime());
  private volatile long timer = -1;

  /// When a browser last sent a request to this node, by `System.nanoTime()`.
  private volatile long reachedAt = System.nanoTime() - REACHED_NANOS;

  QueueLoop(
      Vertx vertx,
      QueueScripts scripts,
      QueueFeature.Config config,
      Supplier<Collection<ProductId>> products,
      QueueMeters meters,
      QueueAudit audit) {
    this.vertx = vertx;
    this.scripts = scripts;
    this.config = config;
    this.products = products;
    this.meters = meters;
    this.audit = audit;
  }

  /// Starts the passes. Called once.
  public void start() {
    timer = vertx.setPeriodic(config.pass().toMillis(), _ -> tick());
  }

  /// Requests a pass of each sale in which places can move now.
  void tick() {
    long now = System.nanoTime();
    for (ProductId product : products.get()) {
      Runner runner = runners.computeIfAbsent(product, Runner::new);
      if (now - runner.notBefore >= 0) {
        runner.lookForAbsent();
        runner.ask();
      }
    }
  }

  /// Requests a pass now, because a place or stock became free. Cheap: calls during a pass add up
  /// to one more pass.
  public void soon(ProductId product) {
    runners.computeIfAbsent(product, Runner::new).ask();
  }

  /// Makes the next tick look at the sale, because somebody has joined.
  public void wake(ProductId product) {
    runners.computeIfAbsent(product, Runner::new).wake();
  }

  /// A browser that has been here before has reached this node, by whatever page. It shows that the
  /// service can be reached, to sales in which only people of the waiting list wait.
  public void reached() {
    reachedAt = System.nanoTime();
  }

  private boolean isReached() {
    return System.nanoTime() - reachedAt < REACHED_NANOS;
  }

  /// Whether no tick asks for a pass of the sale now.
  boolean rests(ProductId product) {
    Runner runner = runners.get(product);
    return runner != null && System.nanoTime() - runner.notBefore < 0;
  }

  /// Adds a listener for the sessions that this node has made ready, called when their turns begin.
  /// It must not block.
  public void onReady(Consumer<List<SessionId>> listener) {
    onReady.add(listener);
  }

  /// Adds a listener for sales that have a waiting list of which nobody has told for seconds: it
  /// may have ended. It must not block.
  public void onOldList(Consumer<ProductId> listener) {
    onOldList.add(listener);
  }

  /// Turns that begin within [#TOLD_TOGETHER_MS] are told together, at the last moment of these, so
  /// that the reads of their places share script runs.
  private void tellReady(AdmitScript.Pass pass) {
    Map<Long, List<SessionId>> byDelay = new HashMap<>();
    for (int i = 0; i < pass.ready().size(); i++) {
      long delay = pass.delays().get(i);
      long toldAfter = (delay + TOLD_TOGETHER_MS - 1) / TOLD_TOGETHER_MS * TOLD_TOGETHER_MS;
      byDelay.computeIfAbsent(toldAfter, _ -> new ArrayList<>()).add(pass.ready().get(i));
    }
    byDelay.forEach(
        (delay, sessions) -> {
          if (delay == 0) {
            onReady.forEach(listener -> listener.accept(sessions));
          } else {
            vertx.setTimer(delay, _ -> onReady.forEach(listener -> listener.accept(sessions)));
          }
        });
  }

  /// Logged at most once a minute on this node.
  private void alarm(ProductId product, AdmitScript.Pass pass) {
    long now = System.nanoTime();
    long due = nextAlarm.get();
    if (pass.kept() > 0
        && now - due >= 0
        && nextAlarm.compareAndSet(due, now + ALARM_PAUSE.toNanos())) {
      LOG.error(
          "An unusual share of the people at the front of a queue has not been seen for the"
              + " presence timeout. Their places are kept for one more timeout. Check that every"
              + " front door and node can be reached; productId={} missing={}",
          product,
          pass.kept());
    }
  }

  @Override
  public void close() {
    vertx.cancelTimer(timer);
  }

  /// The passes of one product on this node, one after the other.
  private final class Runner {
    private final SaleKeys keys;
    private boolean running;
    private boolean again;

    /// By `System.nanoTime()`; no tick requests a pass before this time.
    private volatile long notBefore = System.nanoTime();

    /// Whether somebody has joined since the last pass began: it may not have seen the place.
    private volatile boolean woken;

    /// Whether the next pass looks for absent sessions: once for each tick, however many passes are
    /// requested in between.
    private volatile boolean looksForAbsent;

    Runner(ProductId product) {
      this.keys = SaleKeys.of(product, config.keyStyle());
    }

    void wake() {
      woken = true;
      notBefore = System.nanoTime();
    }

    void lookForAbsent() {
      looksForAbsent = true;
    }

    void ask() {
      synchronized (this) {
        if (running) {
          again = true;
          return;
        }
        running = true;
      }
      run();
    }

    private void run() {
      safely()
          .onComplete(
              done -> {
                if (done.failed()) {
                  LOG.debug("Queue pass failed; productId={}", keys.product(), done.cause());
                }
                boolean more = done.succeeded() && done.result();
                synchronized (this) {
                  more |= again && done.succeeded();
                  again = false;
                  running = more;
                }
                if (more) {
                  run();
                }
              });
    }

    /// Turns an exception into a failed pass; the next tick tries again.
    private Future<Boolean> safely() {
      try {
        return pass();
      } catch (RuntimeException e) {
        return Future.failedFuture(e);
      }
    }

    private Future<Boolean> pass() {
      woken = false;
      boolean looks = looksForAbsent;
      looksForAbsent = false;
      return scripts.expire().run(keys, isReached(), looks).compose(this::admit);
    }

    private Future<Boolean> admit(ExpireScript.Run expired) {
      meters.expired(expired);
      notBefore = endOfRest(System.nanoTime(), restMillis(expired));
      if (woken) {
        notBefore = System.nanoTime();
      }
      if (!isOpen(expired) || expired.places() == 0) {
        return Future.succeededFuture(expired.more());
      }
      return scripts
          .admit()
          .run(keys, MOST)
          .map(
              admitted -> {
                meters.admitted(keys.product(), admitted);
                audit.passed(keys.product(), admitted);
                alarm(keys.product(), admitted);
                if (admitted.listIsOld()) {
                  onOldList.forEach(listener -> listener.accept(keys.product()));
                }
                tellReady(admitted);
                return expired.more() || admitted.more();
              });
    }
  }

  /// Time in ms for which no place can move unless somebody joins, which calls `wake`, or an
  /// operator changes the sale, which calls `soon`.
  static long restMillis(ExpireScript.Run expired) {
    // Purchase windows that run at the closing time last until their end.
    boolean ending = expired.saleState().equals("closed") && expired.places() > 0;
    if (ending || (isOpen(expired) && expired.places() > 0)) {
      return 0;
    }
    long untilChange = expired.untilChange();
    return untilChange < 0 ? IDLE_MS : Math.min(IDLE_MS, untilChange);
  }

  /// The end of a rest by `System.nanoTime()`. Long rests of all sales end together, so that the
  /// passes share script runs.
  private static long endOfRest(long now, long restMillis) {
    if (restMillis < IDLE_MS) {
      return now + TimeUnit.MILLISECONDS.toNanos(restMillis);
    }
    long idle = TimeUnit.MILLISECONDS.toNanos(IDLE_MS);
    long soonest = now + idle / 2;
    return soonest + idle - Math.floorMod(soonest, idle);
  }

  private static boolean isOpen(ExpireScript.Run expired) {
    return expired.saleState().equals("open");
  }
}
