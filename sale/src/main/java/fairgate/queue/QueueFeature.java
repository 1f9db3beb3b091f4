package fairgate.queue;

import fairgate.catalog.Buyers;
import fairgate.catalog.SaleKeys;
import fairgate.kernel.Audit;
import fairgate.kernel.DeviceId;
import fairgate.kernel.Ids;
import fairgate.kernel.KeyRing;
import fairgate.kernel.ProductId;
import fairgate.kernel.SessionId;
import fairgate.platform.http.Request;
import fairgate.platform.http.Route;
import fairgate.platform.observe.Metrics;
import fairgate.platform.postgres.PostgresDatabase;
import fairgate.platform.redis.RedisClient;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Predicate;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/// The wiring of the queue.
public record QueueFeature(
    QueueService service,
    QueueLoop loop,
    JoinWatch joins,
    SaleNotices notices,
    List<Route> routes) {
  public QueueFeature {
    routes = List.copyOf(routes);
  }

  /// A session's place as `GET /api/queue/status` shows it. Records that the buyer is present.
  public Future<Optional<String>> status(SessionId session) {
    return service.look(session).map(found -> found.map(this::json));
  }

  private String json(Place.View view) {
    byte[] json = PlaceJson.bytes(view, notices.of(view.place().product()));
    return new String(json, StandardCharsets.UTF_8);
  }

  /// Starts to admit, and to read the notices of operators.
  public void start() {
    loop.start();
    notices.start();
  }

  /// Gives up all places of a banned account in these sales, and lets the next ones move up.
  ///
  /// @param buyers as whom the account counts in each sale
  public Future<Void> giveUp(String account, Collection<ProductId> products, Buyers buyers) {
    return service
        .giveUp(product -> buyers.userOf(account, product), products)
        .onSuccess(shorter -> shorter.forEach(loop::soon))
        .mapEmpty();
  }

  /// Ends the pause of a person in a sale, whose appeal was granted.
  ///
  /// @param device the hash of the device within the sale; null for none
  /// @param account null for a guest
  public Future<Void> endPause(
      ProductId product, @Nullable String device, @Nullable String account, Buyers buyers) {
    Future<Optional<String>> user =
        account == null
            ? Future.succeededFuture(Optional.empty())
            : buyers.userOf(account, product);
    return user.compose(known -> service.endPause(product, device, known.orElse(null))).mapEmpty();
  }

  /// Gives a guest's places to the account that its browser has signed in to.
  public Future<Void> own(String account, DeviceId device, Collection<ProductId> products) {
    return service
        .own(account, device, products)
        .onSuccess(shorter -> shorter.forEach(loop::soon))
        .mapEmpty();
  }

  /// The dependencies of the queue.
  ///
  /// @param known whether there is a product of this id
  /// @param products the products whose queues this node moves
  public record Dependencies(
      Vertx vertx,
      RedisClient redis,
      PostgresDatabase database,
      KeyRing keys,
      Ids ids,
      Metrics metrics,
      JoinGate gate,
      Buyers buyers,
      Audit audit,
      Supplier<Collection<ProductId>> products,
      Predicate<ProductId> known) {}

  /// Builds the queue; `start` starts it.
  public static QueueFeature wire(Config config, Dependencies parts) {
    QueueService service =
        new QueueService(
            parts.redis(),
            parts.keys(),
            parts.ids(),
            parts.gate(),
            config,
            parts.audit(),
            parts.known());
    QueueLoop loop =
        new QueueLoop(
            parts.vertx(),
            service.scripts(),
            config,
            parts.products(),
            new QueueMeters(parts.metrics()),
            new QueueAudit(parts.audit()));
    SaleNotices notices = new SaleNotices(parts.database());
    PlaceStreams streams = new PlaceStreams(parts.vertx(), service, notices);
    loop.onReady(streams::tell);
    service.onPlace(loop::wake);
    notices.onChange(streams::announce);
    parts
        .metrics()
        .gauge("fairgate_queue_streams", "Open event streams on this node", streams::count);
    JoinWatch joins = new JoinWatch();
    return new QueueFeature(
        service,
        loop,
        joins,
        notices,
        new QueueRoutes(service, loop, streams, joins, parts.buyers(), notices).routes());
  }

  /// Settings of the queue on this node.
  ///
  /// @param pass interval between passes
  /// @param keyStyle style of the Redis key names
  public record Config(Duration pass, SaleKeys.Style keyStyle) {
    /// The defaults: ten passes a second, a single Redis.
    public static Config defaults() {
      return new Config(Duration.ofMillis(100), SaleKeys.Style.PLAIN);
    }

    /// Returns these settings with another style of key names.
    public Config with(SaleKeys.Style style) {
      return new Config(pass, style);
    }
  }

  /// Notifies watchers when a request has created or found the caller's place.
  public static final class JoinWatch {
    private final List<Watcher> watchers = new CopyOnWriteArrayList<>();

    /// Called for each place. Must not block, and handles its own failures: the place is already
    /// taken.
    @FunctionalInterface
    public interface Watcher {
      /// Completes when the watcher has stored its data about this place, so that others can read
      /// it.
      ///
      /// @param life time until the session ends unless it makes another request
      Future<Void> joined(Request request, ProductId product, SessionId session, Duration life);
    }

    public void add(Watcher watcher) {
      watchers.add(watcher);
    }

    /// Notifies all watchers. The caller replies to its client afterwards, so the watchers' data
    /// exist once the client knows of the place.
    public Future<Void> tell(Request request, ProductId product, SessionId session, Duration life) {
      Future<Void> notified = Future.succeededFuture();
      for (Watcher watcher : watchers) {
        Future<Void> one = watcher.joined(request, product, session, life);
        notified = notified.compose(_ -> one);
      }
      return notified;
    }
  }
}
