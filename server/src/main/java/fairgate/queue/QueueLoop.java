package fairgate.queue;

import fairgate.catalog.SaleKeys;
import fairgate.kernel.ProductId;
import fairgate.kernel.SessionId;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// The server's own loop that moves people forward: every pass ends what is over and fills what is
/// free.
///
/// Every node runs it; two passes at once do no harm, for each is two scripts that decide by what
/// they find. A node that dies takes nothing with it.
public final class QueueLoop implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(QueueLoop.class);

  /// People one script run moves at most: bounds how long it keeps Redis busy (some milliseconds).
  private static final int MOST = 250;

  private final Vertx vertx;
  private final QueueScripts scripts;
  private final QueueConfig config;
  private final Supplier<Collection<ProductId>> products;
  private final QueueMeters meters;
  private final QueueAudit audit;
  private final Map<ProductId, Runner> runners = new ConcurrentHashMap<>();
  private final List<Consumer<List<SessionId>>> onReady = new CopyOnWriteArrayList<>();
  private volatile long timer = -1;

  QueueLoop(
      Vertx vertx,
      QueueScripts scripts,
      QueueConfig config,
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

  /// Starts passing. Called once.
  public void start() {
    timer = vertx.setPeriodic(config.pass().toMillis(), _ -> products.get().forEach(this::soon));
  }

  /// Asks for a pass now: somebody left, bought, or stock came. Cheap; calls during a pass become
  /// one more pass.
  public void soon(ProductId product) {
    runners.computeIfAbsent(product, Runner::new).ask();
  }

  /// Adds somebody who is told which sessions this node brought into ready slots. Must not block.
  public void onReady(Consumer<List<SessionId>> listener) {
    onReady.add(listener);
  }

  @Override
  public void close() {
    vertx.cancelTimer(timer);
  }

  /// One product's passes on this node, one after the other.
  private final class Runner {
    private final SaleKeys keys;
    private boolean running;
    private boolean again;

    Runner(ProductId product) {
      this.keys = SaleKeys.of(product, config.keyStyle());
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
                  LOG.debug("no pass for product {}: {}", keys.product(), done.cause().toString());
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

    /// A pass that throws is a pass that failed: the next tick tries again.
    private Future<Boolean> safely() {
      try {
        return pass();
      } catch (RuntimeException e) {
        return Future.failedFuture(e);
      }
    }

    private Future<Boolean> pass() {
      return scripts
          .expire()
          .run(keys, MOST)
          .compose(
              expired ->
                  scripts
                      .admit()
                      .run(keys, MOST)
                      .map(
                          admitted -> {
                            meters.passed(expired, admitted);
                            audit.passed(keys.product(), admitted);
                            if (!admitted.ready().isEmpty()) {
                              onReady.forEach(listener -> listener.accept(admitted.ready()));
                            }
                            return expired.more() || admitted.more();
                          }));
    }
  }
}
