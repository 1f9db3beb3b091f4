package fairgate.queue;

import fairgate.catalog.SaleKeys;
import fairgate.kernel.Audit;
import fairgate.kernel.Caller;
import fairgate.kernel.ChallengeResult;
import fairgate.kernel.DeviceId;
import fairgate.kernel.ErrorCode;
import fairgate.kernel.Ids;
import fairgate.kernel.KeyRing;
import fairgate.kernel.PassCodec;
import fairgate.kernel.ProductId;
import fairgate.kernel.ServiceUnavailable;
import fairgate.kernel.SessionId;
import fairgate.platform.http.Device;
import fairgate.platform.http.Refusal;
import fairgate.platform.http.Request;
import fairgate.platform.redis.RedisClient;
import fairgate.platform.redis.ScriptBatcher;
import fairgate.queue.QueueScripts.ReseatScript;
import io.vertx.core.Future;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.ObjLongConsumer;
import java.util.function.Predicate;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/// The queue's operations for buyers: join, read the status, leave. Thread-safe; never blocks an
/// event loop.
public final class QueueService {
  private static final Duration RETRY_AFTER = Duration.ofSeconds(1);

  private final RedisClient redis;
  private final KeyRing keyRing;
  private final Ids ids;
  private final JoinGate gate;
  private final CallerNetworks networks;
  private final FailedJoinSample failedJoins;
  private final QueueFeature.Config config;
  private final QueueScripts scripts;
  private final QueueAudit audit;
  private final PlaceLookup places;

  /// Used in a cluster only.
  private final @Nullable SessionPointers pointers;

  private final Predicate<ProductId> known;
  private final Map<ProductId, Slot> slots = new ConcurrentHashMap<>();
  private volatile ObjLongConsumer<SessionId> polls = (_, _) -> {};
  private volatile BiConsumer<ProductId, ErrorCode> refusals = (_, _) -> {};
  private volatile Consumer<ProductId> fullNetworks = _ -> {};
  private volatile AcceptedWatcher accepted = (_, _, _) -> {};
  private volatile Consumer<ProductId> newPlace = _ -> {};
  private volatile Function<ProductId, Refusal> depositTerms =
      _ -> Refusal.of(ErrorCode.DEPOSIT_REQUIRED);

  record Slot(SaleKeys keys, ScriptBatcher.Shared joins, ScriptBatcher.Shared ranks) {}

  /// @param known whether the catalog of this node has the product
  public QueueService(
      RedisClient redis,
      KeyRing keyRing,
      Ids ids,
      JoinGate gate,
      QueueFeature.Config config,
      Audit audit,
      Predicate<ProductId> known) {
    this.redis = redis;
    this.known = known;
    this.keyRing = keyRing;
    this.ids = ids;
    this.gate = gate;
    this.networks = new CallerNetworks(keyRing, gate::countsNetworks);
    this.failedJoins = new FailedJoinSample(networks);
    this.config = config;
    this.scripts = QueueScripts.on(redis);
    this.audit = new QueueAudit(audit);
    this.pointers =
        config.keyStyle() == SaleKeys.Style.CLUSTER ? new SessionPointers(redis, ids) : null;
    this.places =
        new PlaceLookup(scripts, new PassCodec(keyRing), ids, this.audit, pointers, this::slot);
  }

  /// A request to join.
  ///
  /// @param named the session the caller brought, if any
  /// @param account the user as whom the sale counts the caller; null for a guest
  /// @param challengeToken as sent; empty for none
  /// @param tier the number of the caller's tier, from 1; 0 = none
  /// @param http the HTTP request; null when it came through another channel
  public record JoinRequest(
      ProductId product,
      String challengeToken,
      Device device,
      @Nullable SessionId named,
      @Nullable String account,
      int tier,
      Caller caller,
      @Nullable Request http) {}

  /// Sets the listener for refused joins. It is called on event loops.
  public void onRefusal(BiConsumer<ProductId, ErrorCode> listener) {
    refusals = listener;
  }

  /// Sets the listener for joins that are refused because a network is full, although the browser
  /// sent a cookie and its challenge was accepted: probably people. It must not block.
  public void onFullNetwork(Consumer<ProductId> listener) {
    fullNetworks = listener;
  }

  /// Sets the listener for sales with a new place. It is called on event loops.
  void onPlace(Consumer<ProductId> listener) {
    newPlace = listener;
  }

  /// Sets the refusal of a join that lacks a deposit, with what to pay and where.
  public void onDepositRequired(Function<ProductId, Refusal> terms) {
    depositTerms = terms;
  }

  /// Learns of joins whose challenge was accepted, after their outcome. Called on event loops.
  @FunctionalInterface
  public interface AcceptedWatcher {
    /// Tells of one join.
    ///
    /// @param placed whether it gave a new place, which uses up the challenge
    void accepted(ProductId product, Caller caller, boolean placed);
  }

  /// Sets the watcher of accepted joins. Joins of browsers without a cookie that gave no new place
  /// are left out: one solution would do for any number of them.
  public void onAccepted(AcceptedWatcher watcher) {
    accepted = watcher;
  }

  /// Gives the caller a place at the end of the waiting queue. Without a valid challenge token
  /// nothing is written. A repeat while the place lives returns `AlreadyInQueue` with that place.
  public Future<JoinOutcome> join(JoinRequest request) {
    ProductId product = request.product();
    if (known.test(product)) {
      return joinKnown(request).onSuccess(outcome -> noteRefusal(request, outcome));
    }
    // Another node may have created it a moment ago. Nothing is cached for an unknown product.
    return redis
        .send("EXISTS", keys(product).sale())
        .compose(
            found ->
                found.number() == 0
                    ? Future.succeededFuture(new JoinOutcome.NoSuchProduct())
                    : joinKnown(request));
  }

  private void noteRefusal(JoinRequest request, JoinOutcome outcome) {
    ProductId product = request.product();
    if (outcome instanceof JoinOutcome.Refused refused) {
      refusals.accept(product, refused.refusal().code());
    }
    if (outcome instanceof JoinOutcome.NetworkLimitReached && !request.device().fresh()) {
      fullNetworks.accept(product);
    }
  }

  private Future<JoinOutcome> joinKnown(JoinRequest request) {
    String device = deviceHash(request.product(), request.device().id());
    return gate.judge(request)
        .compose(
            verdict ->
                challenged(request, verdict)
                    .compose(clearance -> enterIf(clearance, request, device))
                    .onComplete(
                        done -> {
                          if (isRecorded(request, done.result())) {
                            verdict.recorder().run();
                          }
                        }));
  }

  /// @param outcome null for a failure
  private boolean isRecorded(JoinRequest request, @Nullable JoinOutcome outcome) {
    return switch (outcome) {
      case JoinOutcome.AlreadyInQueue _ -> false;
      case JoinOutcome.ChallengeRefused _ ->
          failedJoins.records(request.product(), request.caller());
      case null, default -> true;
    };
  }

  private Future<JoinOutcome> enterIf(Clearance clearance, JoinRequest request, String device) {
    return switch (clearance) {
      case Clearance.Refused(JoinOutcome.Refused why) -> Future.succeededFuture(why);
      case Clearance.Cleared(ChallengeResult.Accepted accepted, JoinGate.Verdict verdict) ->
          gate.visit(request)
              .compose(
                  refusal ->
                      refusal.isPresent()
                          ? Future.succeededFuture(new JoinOutcome.RefusedByGate(refusal.get()))
                          : enter(request, device, accepted, verdict));
    };
  }

  /// Whether the risk and the challenge of a request allow it to join.
  public sealed interface Clearance {
    /// The request may join.
    ///
    /// @param accepted the challenge solution or waiver to use up, if there is one
    record Cleared(ChallengeResult.Accepted accepted, JoinGate.Verdict verdict)
        implements Clearance {}

    /// Nothing was written.
    record Refused(JoinOutcome.Refused why) implements Clearance {}
  }

  /// Judges the risk of a request, which is recorded, and verifies its challenge. Uses nothing up.
  public Future<Clearance> clear(JoinRequest request) {
    return gate.judge(request)
        .compose(verdict -> challenged(request, verdict).onComplete(_ -> verdict.recorder().run()));
  }

  private Future<Clearance> challenged(JoinRequest request, JoinGate.Verdict verdict) {
    Refusal refusal = verdict.refusal();
    if (refusal != null && verdict.level() == JoinGate.Level.NONE) {
      return refused(new JoinOutcome.RefusedByGate(refusal));
    }
    if (verdict.level() == JoinGate.Level.NONE) {
      return Future.succeededFuture(
          new Clearance.Cleared(new ChallengeResult.Accepted(null), verdict));
    }
    if (request.challengeToken().isEmpty() || verdict.level() == JoinGate.Level.STEP) {
      return waived(verdict);
    }
    return gate.check(
            request.challengeToken(),
            request.product(),
            verdict.level(),
            request.caller().address().text(),
            request.device())
        .compose(
            proof ->
                switch (proof) {
                  case ChallengeResult.Rejected _ -> waived(verdict);
                  case ChallengeResult.Unavailable _ ->
                      refused(new JoinOutcome.ChallengeUnavailable());
                  case ChallengeResult.Accepted accepted ->
                      Future.succeededFuture(new Clearance.Cleared(accepted, verdict));
                });
  }

  private static Future<Clearance> refused(JoinOutcome.Refused why) {
    return Future.succeededFuture(new Clearance.Refused(why));
  }

  /// A join without a valid solution or its step. A waiver is used up with the place it gives.
  private static Future<Clearance> waived(JoinGate.Verdict verdict) {
    ChallengeResult.SingleUse waiver = verdict.waiver();
    if (waiver != null) {
      return Future.succeededFuture(
          new Clearance.Cleared(new ChallengeResult.Accepted(waiver), verdict));
    }
    Refusal harder = verdict.refusal();
    return refused(
        harder == null
            ? new JoinOutcome.ChallengeRefused()
            : new JoinOutcome.HarderChallenge(harder));
  }

  private Future<JoinOutcome> enter(
      JoinRequest request,
      String device,
      ChallengeResult.Accepted accepted,
      JoinGate.Verdict verdict) {
    JoinScript.Join join =
        new JoinScript.Join(
            newSession(request.product()),
            request.named(),
            device,
            request.account(),
            accepted.once(),
            networks.of(request.product(), request.caller()),
            request.tier(),
            verdict.seat(),
            verdict.seat() == Seat.IN_ORDER ? "" : Objects.requireNonNull(verdict.decision()),
            request.device().fresh() ? JoinScript.Evidence.NEW : JoinScript.Evidence.COOKIE);
    return found(
            request.product(),
            run(request.product(), join)
                .compose(outcome -> provenIfCrowded(outcome, request, join))
                .compose(QueueService::notMissing))
        .map(outcome -> seated(explained(outcome, request), verdict))
        .onSuccess(outcome -> audit.joined(request.product(), request.caller(), outcome))
        .onSuccess(outcome -> noteAccepted(request, outcome))
        .onSuccess(this::forgetWaiting);
  }

  private Future<JoinOutcome> run(ProductId product, JoinScript.Join join) {
    Slot slot = slot(product);
    return scripts.join().run(slot.keys(), slot.joins(), join);
  }

  /// A full network has places left for browsers that solved a harder challenge. The others are
  /// asked for one.
  private Future<JoinOutcome> provenIfCrowded(
      JoinOutcome outcome, JoinRequest request, JoinScript.Join join) {
    if (!(outcome instanceof JoinOutcome.NetworkCrowded)) {
      return Future.succeededFuture(outcome);
    }
    return gate.check(
            request.challengeToken(),
            request.product(),
            JoinGate.Level.HARDER,
            request.caller().address().text(),
            request.device())
        .compose(
            proof ->
                proof instanceof ChallengeResult.Accepted
                    ? run(request.product(), join.with(JoinScript.Evidence.PROVEN))
                    : Future.succeededFuture(outcome));
  }

  private void noteAccepted(JoinRequest request, JoinOutcome outcome) {
    boolean placed =
        outcome instanceof JoinOutcome.Joined || outcome instanceof JoinOutcome.SeatedBehind;
    if (placed) {
      newPlace.accept(request.product());
    }
    boolean used = outcome instanceof JoinOutcome.ChallengeRefused;
    if (placed || (!used && !request.device().fresh())) {
      accepted.accepted(request.product(), request.caller(), placed);
    }
  }

  private JoinOutcome explained(JoinOutcome outcome, JoinRequest request) {
    return outcome instanceof JoinOutcome.DepositRequired
        ? new JoinOutcome.DepositRequired(depositTerms.apply(request.product()))
        : outcome;
  }

  private static JoinOutcome seated(JoinOutcome outcome, JoinGate.Verdict verdict) {
    return outcome instanceof JoinOutcome.Joined joined && verdict.seat() != Seat.IN_ORDER
        ? new JoinOutcome.SeatedBehind(joined, verdict.seat(), verdict.members())
        : outcome;
  }

  /// Moves the waiting place that a decision has seated behind others. In the seat [Seat#IN_ORDER]
  /// it is where it would have been without the decision. A repeat changes nothing.
  public Future<Seat.Move> reseat(ProductId product, String decision, Seat seat) {
    return scripts.reseat().run(slot(product).keys(), decision, seat).map(this::forgetReseated);
  }

  private Seat.Move forgetReseated(ReseatScript.Reseated place) {
    SessionId session = place.session();
    if (session != null) {
      places.forget(session);
    }
    return place.move();
  }

  /// Ends the pause in which a buyer cannot join the sale. A repeat changes nothing.
  ///
  /// @param device the hash of the device within the sale; null for none
  /// @param user as whom the sale counts the account; null without one
  public Future<Long> endPause(ProductId product, @Nullable String device, @Nullable String user) {
    return scripts.endPause().run(slot(product).keys(), device, user);
  }

  /// Takes the turn of a ready place whose purchase is risky, and moves it behind all others. It
  /// happens once; a place that a decision has seated before keeps its turn.
  ///
  /// @return whether the place was moved
  public Future<Boolean> moveBehind(
      ProductId product, SessionId session, String decision, Seat seat) {
    if (!known.test(product)) {
      return Future.succeededFuture(false);
    }
    return scripts
        .moveBehind()
        .run(slot(product).keys(), product, session, decision, seat)
        .onSuccess(_ -> places.forget(session));
  }

  /// A repeat can have moved the place to a tier, which its cached status does not show.
  private void forgetWaiting(JoinOutcome outcome) {
    if (outcome instanceof JoinOutcome.AlreadyInQueue(SessionId session, Duration _)) {
      places.forget(session);
    }
  }

  /// A known product without a sale in Redis means that Redis lost it or that it is not set up yet.
  /// That is an outage, not an answer about the product.
  private static Future<JoinOutcome> notMissing(JoinOutcome outcome) {
    return outcome instanceof JoinOutcome.NoSuchProduct
        ? Future.failedFuture(new ServiceUnavailable("Redis lacks the sale", RETRY_AFTER))
        : Future.succeededFuture(outcome);
  }

  /// In a cluster, a session is not returned before it can be found by its id. If its pointer
  /// cannot be written, the place stays and a repeat returns it.
  private Future<JoinOutcome> found(ProductId product, Future<JoinOutcome> joined) {
    SessionPointers noted = pointers;
    return noted == null
        ? joined
        : joined.compose(
            outcome -> {
              return switch (outcome) {
                case JoinOutcome.Joined(SessionId session, _, Duration life) ->
                    noted.write(session, product, life).map(outcome);
                case JoinOutcome.AlreadyInQueue(SessionId session, Duration life) ->
                    noted.write(session, product, life).map(outcome);
                default -> Future.succeededFuture(outcome);
              };
            });
  }

  /// Sets the listener for sessions whose end was moved, with their new life: at most once an hour
  /// per session, on any thread. It must not block.
  public void onRenewed(BiConsumer<SessionId, Duration> watcher) {
    places.onRenewed(watcher);
  }

  /// Sets the listener for polls of the status: it gets the session and the pause that the reply
  /// asks for, ms. It must not block.
  public void onPolled(ObjLongConsumer<SessionId> watcher) {
    polls = watcher;
  }

  void polled(Place place) {
    polls.accept(place.session(), place.pollAfterMs());
  }

  /// The place of the session; empty if it is unknown. Records presence. A ready session gets its
  /// purchase token if the sale requires one.
  ///
  /// @param caller called only if a new token is issued
  public Future<Optional<Place.View>> look(SessionId session, Supplier<Caller> caller) {
    return places.look(session, caller);
  }

  /// The same, for a page or a message that the server itself creates.
  public Future<Optional<Place.View>> look(SessionId session) {
    return look(session, () -> Caller.NONE);
  }

  /// Gives up the place at once. A repeat returns the same.
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

  /// How a session is or was seated.
  ///
  /// @param decision the decision that seated it behind others, also when a review has moved it
  ///   back; null for none
  public record Seating(Seat seat, @Nullable String decision) {
    public static final Seating IN_ORDER = new Seating(Seat.IN_ORDER, null);
  }

  /// The seat of a session, also after the end of its place: then it does not change any more. An
  /// unknown session is in order.
  public Future<Seating> seating(ProductId product, SessionId session) {
    return redis
        .send("HMGET", slot(product).keys().session(session), "seat", "decision")
        .map(
            fields -> {
              String decision = fields.textAt(1);
              return decision.isEmpty()
                  ? Seating.IN_ORDER
                  : new Seating(Seat.of(fields.textAt(0)), decision);
            });
  }

  /// Gives up all places of a banned account in these sales, because a session alone could still
  /// buy. Purchases stay. A repeat finds nothing.
  ///
  /// @param users as whom the account counts in each sale; empty where it has no place
  /// @return the products whose queues have become shorter
  Future<List<ProductId>> giveUp(
      Function<ProductId, Future<Optional<String>>> users, Collection<ProductId> products) {
    List<Future<Optional<ProductId>>> all =
        products.stream()
            .map(
                product ->
                    users
                        .apply(product)
                        .compose(
                            user ->
                                user.map(known -> giveUp(known, product))
                                    .orElse(Future.succeededFuture(Optional.empty()))))
            .toList();
    return Future.all(all)
        .map(_ -> all.stream().map(Future::result).flatMap(Optional::stream).toList());
  }

  /// Gives a guest's places in these sales to the account that its browser has signed in to, so
  /// that it has one place and one limit in each. A repeat changes nothing.
  ///
  /// @return the products whose queues have become shorter
  Future<List<ProductId>> own(String account, DeviceId device, Collection<ProductId> products) {
    List<Future<Optional<ProductId>>> all =
        products.stream()
            .map(
                product ->
                    scripts
                        .ownPlace()
                        .run(slot(product).keys(), deviceHash(product, device), account)
                        .map(
                            it ->
                                it.shorter() ? Optional.of(product) : Optional.<ProductId>empty()))
            .toList();
    return Future.all(all)
        .map(_ -> all.stream().map(Future::result).flatMap(Optional::stream).toList());
  }

  private Future<Optional<ProductId>> giveUp(String user, ProductId product) {
    return scripts
        .leave()
        .placeOf(user, slot(product).keys())
        .compose(
            place ->
                place
                    .map(
                        session ->
                            leave(session)
                                .map(
                                    left ->
                                        left instanceof LeaveOutcome.Left
                                            ? Optional.of(product)
                                            : Optional.<ProductId>empty()))
                    .orElse(Future.succeededFuture(Optional.empty())));
  }

  public SessionId newSession(ProductId product) {
    return pointers == null ? ids.session() : pointers.draw(slot(product).keys());
  }

  /// The hashes of the networks by which a sale counts a caller, narrow first; none if allowed.
  public List<String> networks(ProductId product, Caller caller) {
    return networks.of(product, caller);
  }

  public WinnerPlaces winners() {
    return new WinnerPlaces(redis, config, pointers);
  }

  /// The prospects of people whom a sale asks for a deposit.
  public JoinProspects prospects() {
    return new JoinProspects(this, gate, scripts.join());
  }

  /// The order between the queues and the waiting lists of sales.
  public ListTurnScript listTurn() {
    return new ListTurnScript(redis, config.keyStyle());
  }

  /// The hash of a device within one sale: 22 characters that do not reveal the device.
  public String deviceHash(ProductId product, DeviceId device) {
    return keyRing.fingerprint("device", product.value() + '|' + device.value());
  }

  QueueScripts scripts() {
    return scripts;
  }

  public SaleKeys keys(ProductId product) {
    return SaleKeys.of(product, config.keyStyle());
  }

  Slot slot(ProductId product) {
    Slot slot = slots.get(product);
    return slot != null ? slot : slots.computeIfAbsent(product, this::newSlot);
  }

  private Slot newSlot(ProductId id) {
    return new Slot(keys(id), scripts.join().shared(keys(id)), scripts.rank().shared(keys(id)));
  }
}
