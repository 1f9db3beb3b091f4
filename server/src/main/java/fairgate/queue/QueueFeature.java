package fairgate.queue;

import fairgate.kernel.Audit;
import fairgate.kernel.Ids;
import fairgate.kernel.KeyRing;
import fairgate.kernel.ProductId;
import fairgate.kernel.SessionId;
import fairgate.platform.http.Route;
import fairgate.platform.observe.Metrics;
import fairgate.platform.redis.RedisClient;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import java.nio.charset.StandardCharsets;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;

/// The queue, put together: what `app` starts and serves.
public record QueueFeature(
    QueueService service, QueueLoop loop, JoinWatch joins, List<Route> routes) {
  public QueueFeature {
    routes = List.copyOf(routes);
  }

  /// A session's place as `GET /api/queue/status` shows it, and as a sign of life of its buyer.
  public Future<Optional<String>> status(SessionId session) {
    return service
        .look(session)
        .map(found -> found.map(view -> new String(PlaceJson.bytes(view), StandardCharsets.UTF_8)));
  }

  /// What the queue is built on.
  ///
  /// @param products the products whose queues this node moves
  public record Parts(
      Vertx vertx,
      RedisClient redis,
      KeyRing keys,
      Ids ids,
      Metrics metrics,
      JoinGate gate,
      Accounts accounts,
      Audit audit,
      Supplier<Collection<ProductId>> products) {}

  /// Builds the queue; `loop().start()` sets it going.
  public static QueueFeature wire(QueueConfig config, Parts parts) {
    QueueService service =
        new QueueService(
            parts.redis(), parts.keys(), parts.ids(), parts.gate(), config, parts.audit());
    QueueLoop loop =
        new QueueLoop(
            parts.vertx(),
            service.scripts(),
            config,
            parts.products(),
            new QueueMeters(parts.metrics()),
            new QueueAudit(parts.audit()));
    PlaceStreams streams = new PlaceStreams(parts.vertx(), service);
    loop.onReady(streams::tell);
    parts
        .metrics()
        .gauge("fairgate_queue_streams", "Open event streams on this node", streams::count);
    JoinWatch joins = new JoinWatch();
    return new QueueFeature(
        service,
        loop,
        joins,
        new QueueRoutes(service, loop, streams, joins, parts.accounts(), config.sessionLife())
            .routes());
  }
}
