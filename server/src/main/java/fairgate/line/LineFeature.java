package fairgate.line;

import fairgate.kernel.Ids;
import fairgate.kernel.KeyRing;
import fairgate.kernel.ProductId;
import fairgate.kernel.SessionId;
import fairgate.line.Inbox.Taken;
import fairgate.line.Inbox.Word;
import fairgate.line.api.LineClient;
import fairgate.line.api.QuotaGuard;
import fairgate.line.talk.Incoming;
import fairgate.line.talk.LineClaims;
import fairgate.line.talk.Talk;
import fairgate.platform.http.Request;
import fairgate.platform.http.Route;
import fairgate.platform.lock.ProcessingLock;
import fairgate.platform.observe.Health;
import fairgate.platform.observe.Metrics;
import fairgate.platform.redis.RedisClient;
import fairgate.queue.PlaceView;
import fairgate.queue.QueueService;
import fairgate.queue.QueueStatus;
import fairgate.sale.ProductRoutes;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import java.time.Clock;
import java.time.Duration;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// The LINE channel, put together: what `app` starts and serves. Without a channel secret it serves
/// its routes, refuses every webhook and does nothing else.
public final class LineFeature implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(LineFeature.class);
  private static final Duration CALL_LIMIT = Duration.ofSeconds(8);

  /// Events that wait in queues, and as many that are worked on beside them.
  private static final int MOST_WAITING = 10_000;

  private static final long SWEEP_MS = 1_000;
  private static final int RENEWALS = 3;

  private final LineConfig config;
  private final Vertx vertx;
  private final LineClient client;
  private final Talk talk;
  private final RedisLanguages languages;
  private final Bindings bindings;
  private final Inbox inbox;
  private final Delivery delivery;
  private final EventWorker worker;
  private final ProcessingLock lock;
  private final QueueService queue;
  private final ChatQueues queues = new ChatQueues(MOST_WAITING);
  private final List<Route> routes;
  private volatile boolean closed;
  private long sweep = -1;
  private long renewal = -1;

  /// What the channel is built on.
  ///
  /// @param claims where codes are claimed
  public record Parts(
      Vertx vertx,
      RedisClient redis,
      KeyRing keys,
      Ids ids,
      Clock clock,
      Metrics metrics,
      ProcessingLock lock,
      QueueService queue,
      ProductRoutes products,
      LineClaims claims) {}

  private LineFeature(LineConfig config, Parts parts) {
    this.config = config;
    this.vertx = parts.vertx();
    LineMeters meters = LineMeters.of(parts.metrics());
    JoinTokens tokens = new JoinTokens(parts.keys(), parts.ids(), parts.clock());
    this.client = new LineClient(config.apiUrl(), config.token(), CALL_LIMIT, parts.metrics());
    this.languages = new RedisLanguages(parts.redis(), client);
    this.bindings = new Bindings(parts.redis(), tokens, config.shopUrl(), parts.clock());
    this.inbox = new Inbox(parts.redis(), parts.ids().nonce(), config.lease(), meters);
    this.talk =
        new Talk(
            config.weatherUrl(),
            parts.products(),
            parts.queue(),
            bindings,
            languages,
            parts.claims(),
            user -> parts.keys().fingerprint("line-claimant", user));
    QuotaGuard quota =
        new QuotaGuard(parts.redis(), parts.clock(), config.pushQuota(), parts.metrics());
    this.delivery = new Delivery(inbox, client, quota, meters, parts.clock(), this::pause);
    this.lock = parts.lock();
    this.queue = parts.queue();
    this.worker =
        new EventWorker(inbox, parts.lock(), config.locks(), talk, delivery, client, parts.clock());
    this.routes =
        new LineRoutes(new LineSignature(config.secrets()), inbox, tokens, meters, this::queueUp)
            .routes();
    parts
        .metrics()
        .gauge(
            "fairgate_line_waiting",
            "Events that wait or are worked on",
            () -> queues.size() + worker.size());
  }

  /// Puts the parts together; `start` sets it going.
  public static LineFeature wire(LineConfig config, Parts parts) {
    return new LineFeature(config, parts);
  }

  public List<Route> routes() {
    return routes;
  }

  /// Whether processing locks hold on all nodes, as the last decision found.
  public Health.Status lockStatus() {
    return lock.degraded()
        ? Health.Status.worse("redis was away; locks hold on this node only")
        : Health.Status.good();
  }

  /// Starts to look after events whose node died, and to renew the leases of this node's.
  public void start() {
    if (config.isOn()) {
      sweep = vertx.setPeriodic(SWEEP_MS, _ -> sweep());
      renewal = vertx.setPeriodic(config.lease().toMillis() / RENEWALS, _ -> inbox.renew());
    }
  }

  /// Somebody has joined a queue by this request. Never fails.
  public Future<Void> joined(Request request, ProductId product, SessionId session) {
    return config.isOn()
        ? bindings
            .joined(request, product, session)
            .onSuccess(bound -> tellLateComer(bound, session))
            .mapEmpty()
        : Future.succeededFuture();
  }

  /// The queue moves by itself: the turn may have come before it was known whose place it is. The
  /// inbox takes the same turn once.
  private void tellLateComer(boolean bound, SessionId session) {
    if (bound) {
      queue
          .look(session)
          .onSuccess(
              view ->
                  view.map(PlaceView::place)
                      .filter(place -> place.status() == QueueStatus.READY_TO_PURCHASE)
                      .ifPresent(_ -> ready(List.of(session))))
          .onFailure(e -> LOG.warn("a turn could not be looked for: {}", e.getMessage()));
    }
  }

  /// It is the turn of these buyers: those who came from LINE are told. Waits for nothing.
  public void ready(List<SessionId> sessions) {
    if (config.isOn() && !sessions.isEmpty()) {
      var _ =
          bindings
              .turns(sessions)
              .compose(inbox::accept)
              .onSuccess(this::queueUp)
              .onFailure(e -> LOG.warn("turns could not be told: {}", e.getMessage()));
    }
  }

  private void pause(Duration time) throws InterruptedException {
    Thread.sleep(time);
    if (closed) {
      throw new InterruptedException("the server stops");
    }
  }

  private void sweep() {
    var _ =
        inbox
            .claim()
            .onSuccess(this::queueUp)
            .onFailure(e -> LOG.debug("the inbox could not be read: {}", e.getMessage()));
  }

  private void queueUp(List<Taken> events) {
    for (Taken taken : events) {
      if (worker.size() >= MOST_WAITING
          || !queues.offer(taken.event().queue(), () -> work(taken))) {
        // It stays in the inbox and is looked at again when its lease has run out.
        inbox.letGo(taken);
      }
    }
  }

  private void work(Taken taken) {
    String user = taken.event().chat().userId();
    if (taken.event().incoming() instanceof Incoming.Unfollowed) {
      if (user != null) {
        bindings.forget(user);
        languages.forget(user);
      }
      boolean _ = inbox.mark(taken, Word.DONE);
      return;
    }
    worker.work(taken);
  }

  /// Takes no more events. What is worked on may be cut off: it is taken up again by another node,
  /// or by this one after its restart.
  @Override
  public void close() {
    closed = true;
    delivery.stop();
    queues.close();
    if (sweep >= 0) {
      boolean _ = vertx.cancelTimer(sweep);
      boolean _ = vertx.cancelTimer(renewal);
    }
    talk.close();
    client.close();
  }
}
