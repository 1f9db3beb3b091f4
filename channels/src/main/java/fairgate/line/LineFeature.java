package fairgate.line;

import fairgate.gate.ban.BanService;
import fairgate.kernel.ProductId;
import fairgate.kernel.ServiceUnavailable;
import fairgate.kernel.SessionId;
import fairgate.line.Inbox.OwnedEvent;
import fairgate.line.Inbox.Progress;
import fairgate.line.LineRoutes.LineSignature;
import fairgate.line.api.LineClient;
import fairgate.line.api.QuotaGuard;
import fairgate.line.talk.Chat;
import fairgate.line.talk.Incoming;
import fairgate.line.talk.LineClaims;
import fairgate.line.talk.Talk;
import fairgate.platform.feature.Feature;
import fairgate.platform.feature.Feature.Infra;
import fairgate.platform.http.Decisions;
import fairgate.platform.http.Request;
import fairgate.platform.http.Route;
import fairgate.platform.lock.ProcessingLock;
import fairgate.platform.observe.Health;
import fairgate.platform.observe.OutageLog;
import fairgate.platform.redis.RedisClient;
import fairgate.platform.text.Language;
import fairgate.queue.Place;
import fairgate.queue.QueueFeature;
import fairgate.queue.QueueService;
import fairgate.redeem.RedeemFeature;
import fairgate.sale.ProductRoutes;
import fairgate.sale.SaleFeature;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import java.time.Clock;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Wires the LINE channel. Without a channel secret it serves its routes, refuses every webhook and
/// does nothing else.
public final class LineFeature {
  private static final Logger LOG = LoggerFactory.getLogger(LineFeature.class);
  private static final Duration CALL_LIMIT = Duration.ofSeconds(8);

  /// The limit of pending events in the queues, and of events in progress outside them.
  private static final int MAX_WAITING = 10_000;

  private static final long SWEEP_MS = 1_000;
  private static final int RENEWALS = 3;

  private final LineSettings config;
  private final Vertx vertx;
  private final RedisClient redis;
  private final Clock clock;
  private final LineClient client;
  private final Talk talk;
  private final RedisLanguages languages;
  private final Bindings bindings;
  private final Inbox inbox;
  private final Delivery delivery;
  private final EventWorker worker;
  private final ProcessingLock lock;
  private final QueueService queue;
  private final ChatQueues queues = new ChatQueues(MAX_WAITING);
  private final List<Route> routes;
  private final OutageLog turns = new OutageLog(LOG, "turns of LINE users");
  private volatile boolean closed;
  private long sweep = -1;
  private long renewal = -1;

  /// Connects the channel to the queue, to the products of the sales and to the codes.
  ///
  /// @param decisions gives the claims that it refuses a way to appeal
  public static Feature start(
      Infra infra,
      BanService bans,
      Decisions decisions,
      QueueFeature queue,
      SaleFeature sale,
      RedeemFeature redeem) {
    RedeemClaims claims = new RedeemClaims(redeem, decisions, bans, infra.site().shopUrl());
    LineFeature line = new LineFeature(infra, queue.service(), sale.products(), claims);
    queue.loop().onReady(line::ready);
    queue.joins().add(line::joined);
    queue.service().onRenewed(line::renewed);
    infra.health().register("processing_lock", () -> Future.succeededFuture(line.lockStatus()));
    return new Feature(
        line.routes,
        List.of(),
        List.of(),
        _ -> {},
        line::start,
        line::close,
        new LineReceipts(line));
  }

  private LineFeature(Infra infra, QueueService queue, ProductRoutes products, LineClaims claims) {
    this.config = infra.settings(LineSettings.class);
    this.vertx = infra.vertx();
    this.redis = infra.redis();
    this.clock = infra.clock();
    LineMeters meters = LineMeters.of(infra.metrics());
    JoinTokens tokens = new JoinTokens(infra.keys(), infra.ids(), infra.clock());
    this.client =
        new LineClient(
            config.apiUrl(), config.channelToken().expose(), CALL_LIMIT, infra.metrics());
    this.languages = new RedisLanguages(infra.redis(), client, infra.site().language());
    this.bindings = new Bindings(infra.redis(), tokens, infra.site().shopUrl(), infra.clock());
    this.inbox = new Inbox(infra.redis(), infra.ids().nonce(), config.lease(), meters);
    this.talk =
        new Talk(
            config.weatherUrl(),
            products,
            queue,
            bindings,
            languages,
            claims,
            user -> infra.keys().fingerprint("line-claimant", user));
    QuotaGuard quota =
        new QuotaGuard(infra.redis(), infra.clock(), config.pushQuota(), infra.metrics());
    this.delivery = new Delivery(inbox, client, quota, meters, infra.clock(), this::pause);
    this.lock = infra.lock();
    this.queue = queue;
    this.worker =
        new EventWorker(inbox, infra.lock(), config.locks(), talk, delivery, client, infra.clock());
    this.routes =
        new LineRoutes(new LineSignature(config.secrets()), inbox, tokens, meters, this::queueUp)
            .routes();
    infra
        .metrics()
        .gauge(
            "fairgate_line_waiting",
            "Events that wait or are worked on",
            () -> queues.size() + worker.size());
  }

  /// Reports whether processing locks hold on all nodes, as of the last lock decision, and whether
  /// events survive a crash.
  private Health.Status lockStatus() {
    if (inbox.degraded()) {
      return Health.Status.worse(
          "Redis does not answer; LINE events are in this node's memory, and locks hold on this node"
              + " only");
    }
    return lock.degraded()
        ? Health.Status.worse("Redis was away; locks hold on this node only")
        : Health.Status.good();
  }

  /// Starts to take over events of dead nodes and to renew the leases of this node's events.
  private void start() {
    if (config.isOn()) {
      sweep = vertx.setPeriodic(SWEEP_MS, _ -> sweep());
      renewal = vertx.setPeriodic(config.lease().toMillis() / RENEWALS, _ -> inbox.renew());
    }
  }

  /// Binds the session that this request created to its LINE user. Never fails.
  private Future<Void> joined(
      Request request, ProductId product, SessionId session, Duration life) {
    return config.isOn()
        ? bindings
            .joined(request, product, session, life)
            .onSuccess(bound -> notifyIfReady(bound, session))
            .mapEmpty()
        : Future.succeededFuture();
  }

  /// Extends the lifetime of a session's binding. Does not wait.
  private void renewed(SessionId session, Duration life) {
    if (config.isOn()) {
      bindings.renew(session, life);
    }
  }

  /// Sends the turn event of a session that became ready before it was bound. The inbox drops a
  /// repeat of the same turn.
  private void notifyIfReady(boolean bound, SessionId session) {
    if (bound) {
      queue
          .look(session)
          .onSuccess(
              view ->
                  view.map(Place.View::place)
                      .filter(place -> place.status() == Place.Status.READY_TO_PURCHASE)
                      .ifPresent(_ -> ready(List.of(session))))
          .onFailure(
              e -> {
                LOG.debug(
                    "Could not read queue position for LINE notification; sessionId={}",
                    session,
                    e);
                turns.waits(e);
              });
    }
  }

  /// Notifies the LINE users among these buyers that it is their turn. Does not wait.
  private void ready(List<SessionId> sessions) {
    if (config.isOn() && !sessions.isEmpty()) {
      var _ =
          bindings
              .turns(sessions)
              .compose(inbox::accept)
              .onSuccess(this::queueUp)
              .onSuccess(_ -> turns.worked())
              .onFailure(
                  e -> {
                    LOG.debug(
                        "Could not notify LINE users of their turn; sessions={}",
                        sessions.size(),
                        e);
                    turns.waits(e);
                  });
    }
  }

  boolean isOn() {
    return config.isOn();
  }

  /// The LINE users who came to these sessions through links of the bot.
  Future<Map<SessionId, String>> usersOf(List<SessionId> sessions) {
    return bindings.users(sessions);
  }

  /// The language of a user. Blocks.
  Language languageOf(String user) {
    return languages.of(new Chat(user, null, null));
  }

  /// Sends a text to a user, once per id within three days. When the future succeeds, the text is
  /// stored and survives a crash of all nodes. Fails with ServiceUnavailable while Redis is away.
  Future<Void> send(String id, String user, String text) {
    if (!redis.connected(LineKeys.INBOX)) {
      return Future.failedFuture(new ServiceUnavailable("Redis is away", Duration.ofSeconds(5)));
    }
    LineEvent event =
        new LineEvent(
            "fairgate." + id,
            clock.millis(),
            null,
            new Chat(user, null, null),
            new Incoming.Notice(text));
    return inbox.store(List.of(event)).onSuccess(this::queueUp).mapEmpty();
  }

  private void pause(Duration time) throws InterruptedException {
    Thread.sleep(time);
    if (closed) {
      throw new InterruptedException("server is stopping");
    }
  }

  private void sweep() {
    var _ =
        inbox
            .claim()
            .onSuccess(this::queueUp)
            .onFailure(e -> LOG.debug("Could not claim events of other nodes", e));
  }

  private void queueUp(List<OwnedEvent> events) {
    for (OwnedEvent owned : events) {
      if (worker.size() >= MAX_WAITING || !queues.offer(owned.event().queue(), () -> work(owned))) {
        // It stays in the inbox and is taken over after its lease has expired.
        inbox.release(owned);
      }
    }
  }

  private void work(OwnedEvent owned) {
    String user = owned.event().chat().userId();
    if (owned.event().incoming() instanceof Incoming.Unfollowed) {
      if (user != null) {
        bindings.forget(user);
        languages.forget(user);
      }
      boolean _ = inbox.mark(owned, Progress.DONE);
      return;
    }
    worker.work(owned);
  }

  /// Stops accepting events. An event in progress may be interrupted; another node takes it over,
  /// or this node after its restart.
  private void close() {
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
