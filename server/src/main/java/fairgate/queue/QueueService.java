package fairgate.queue;

import fairgate.catalog.SaleKeys;
import fairgate.kernel.Audit;
import fairgate.kernel.Caller;
import fairgate.kernel.DeviceId;
import fairgate.kernel.Ids;
import fairgate.kernel.KeyRing;
import fairgate.kernel.Pass;
import fairgate.kernel.PassCodec;
import fairgate.kernel.ProductId;
import fairgate.kernel.Proof;
import fairgate.kernel.SessionId;
import fairgate.platform.redis.RedisClient;
import fairgate.platform.redis.ScriptBatcher;
import io.vertx.core.Future;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/// Joining, looking, leaving: what a buyer does in the queue. Safe to call on any thread; on an
/// event loop nothing blocks.
public final class QueueService {
  private static final int MOST_PRODUCTS = 10_000;

  private final KeyRing keyRing;
  private final PassCodec passes;
  private final Ids ids;
  private final JoinGate gate;
  private final QueueConfig config;
  private final QueueScripts scripts;
  private final QueueAudit audit;
  private final Waiters waiters = new Waiters(System::nanoTime);

  /// Of a cluster only.
  private final @Nullable SessionPointers pointers;

  private final Map<ProductId, Slot> slots = new ConcurrentHashMap<>();

  private record Slot(SaleKeys keys, ScriptBatcher.Shared joins, ScriptBatcher.Shared ranks) {}

  public QueueService(
      RedisClient redis, KeyRing keyRing, Ids ids, JoinGate gate, QueueConfig config, Audit audit) {
    this.keyRing = keyRing;
    this.passes = new PassCodec(keyRing);
    this.ids = ids;
    this.gate = gate;
    this.config = config;
    this.scripts = QueueScripts.on(redis, config);
    this.audit = new QueueAudit(audit);
    this.pointers =
        config.keyStyle() == SaleKeys.Style.CLUSTER
            ? new SessionPointers(redis, ids, config.sessionLife())
            : null;
  }

  /// One attempt to join.
  ///
  /// @param named the session the caller brought, if any
  /// @param account the signed-in account, if any
  public record JoinRequest(
      ProductId product,
      String challengeToken,
      DeviceId device,
      @Nullable SessionId named,
      @Nullable String account,
      Caller caller) {}

  /// Gives the caller a place at the end of the waiting queue. Without a good challenge token
  /// nothing is written anywhere. A repeat while the place lives answers `AlreadyInQueue` with that
  /// place.
  public Future<JoinOutcome> join(JoinRequest request) {
    String device = deviceHash(request.product(), request.device());
    return gate.check(
            request.challengeToken(),
            request.product(),
            request.caller().address().text(),
            request.device())
        .compose(
            proof ->
                switch (proof) {
                  case Proof.Rejected _ ->
                      Future.succeededFuture(new JoinOutcome.ChallengeRefused());
                  case Proof.Unavailable _ ->
                      Future.succeededFuture(new JoinOutcome.ChallengeUnavailable());
                  case Proof.Accepted accepted -> enter(request, device, accepted);
                });
  }

  private Future<JoinOutcome> enter(JoinRequest request, String device, Proof.Accepted accepted) {
    Slot slot = slot(request.product());
    SessionId fresh = pointers == null ? ids.session() : pointers.draw(slot.keys());
    return found(
            request.product(),
            scripts
                .join()
                .run(
                    slot.keys(),
                    slot.joins(),
                    new JoinScript.Call(
                        fresh, request.named(), device, request.account(), accepted.once())))
        .onSuccess(outcome -> audit.joined(request.product(), request.caller(), outcome));
  }

  /// In a cluster nobody is told of a session that could not be found by its id again. If that
  /// cannot be noted the place stands, and a repeat is told of it.
  private Future<JoinOutcome> found(ProductId product, Future<JoinOutcome> joined) {
    SessionPointers noted = pointers;
    return noted == null
        ? joined
        : joined.compose(
            outcome -> {
              SessionId told =
                  outcome instanceof JoinOutcome.Joined(SessionId session, int _)
                      ? session
                      : outcome instanceof JoinOutcome.AlreadyInQueue(SessionId session)
                          ? session
                          : null;
              return told == null
                  ? Future.succeededFuture(outcome)
                  : noted.write(told, product).map(outcome);
            });
  }

  /// Where the session stands; empty when it is unknown. Counts as a sign of presence. A ready
  /// session is given its purchase token when the sale asks for one.
  ///
  /// @param caller asked for only when a new token is issued
  public Future<Optional<PlaceView>> look(SessionId session, Supplier<Caller> caller) {
    ProductId waitsFor = waiters.product(session);
    return waitsFor == null
        ? all(session, caller)
        : scripts
            .rank()
            .run(slot(waitsFor).ranks(), waitsFor, session)
            .compose(
                found -> {
                  if (found.isPresent()) {
                    return Future.succeededFuture(found);
                  }
                  waiters.gone(session);
                  return all(session, caller);
                });
  }

  private Future<Optional<PlaceView>> all(SessionId session, Supplier<Caller> caller) {
    return place(session)
        .compose(
            found -> {
              found.ifPresent(waiters::seen);
              return withToken(found, caller);
            });
  }

  /// The same, looked by nobody outside: by a page or a message the server makes.
  public Future<Optional<PlaceView>> look(SessionId session) {
    return look(session, () -> Caller.NONE);
  }

  private Future<Optional<Place>> place(SessionId session) {
    return pointers == null
        ? scripts.status().run(session)
        : pointers
            .find(session)
            .compose(
                product ->
                    product
                        .map(id -> scripts.status().run(session, slot(id).keys()))
                        .orElse(Future.succeededFuture(Optional.empty())));
  }

  private Future<Optional<PlaceView>> withToken(Optional<Place> found, Supplier<Caller> caller) {
    Place place = found.orElse(null);
    if (place == null) {
      return Future.succeededFuture(Optional.empty());
    }
    if (place.status() != QueueStatus.READY_TO_PURCHASE || !place.tokenRequired()) {
      return Future.succeededFuture(Optional.of(new PlaceView(place, null, 0)));
    }
    String nonce = ids.nonce();
    return scripts
        .issuePass()
        .run(slot(place.product()).keys(), place, nonce)
        .map(
            issued -> {
              Pass pass = issued.orElse(null);
              if (pass == null) {
                return Optional.of(new PlaceView(place, null, 0));
              }
              // The one in force is given again; only a new one has our name.
              if (pass.nonce().equals(nonce)) {
                audit.issued(place.product(), caller.get().in(place.session()), nonce);
              }
              return Optional.of(new PlaceView(place, passes.encode(pass), pass.expiresAt()));
            });
  }

  /// Gives up the place at once. A repeat answers the same.
  public Future<LeaveOutcome> leave(SessionId session) {
    return pointers == null
        ? scripts.leave().run(session)
        : pointers
            .find(session)
            .compose(
                product ->
                    product
                        .map(id -> scripts.leave().run(session, slot(id).keys()))
                        .orElse(Future.succeededFuture(new LeaveOutcome.UnknownSession())));
  }

  /// The name a device has within one sale; 22 characters that do not tell which device it is.
  public String deviceHash(ProductId product, DeviceId device) {
    return keyRing.fingerprint("device", product.value() + '|' + device.value());
  }

  QueueScripts scripts() {
    return scripts;
  }

  private Slot slot(ProductId product) {
    Slot slot = slots.get(product);
    if (slot != null) {
      return slot;
    }
    if (slots.size() >= MOST_PRODUCTS) {
      // Ids of products that do not exist end up here too; what is dropped is cheap to make again.
      slots.clear();
    }
    return slots.computeIfAbsent(
        product,
        id -> {
          SaleKeys keys = SaleKeys.of(id, config.keyStyle());
          return new Slot(keys, scripts.join().shared(keys), scripts.rank().shared(keys));
        });
  }
}
