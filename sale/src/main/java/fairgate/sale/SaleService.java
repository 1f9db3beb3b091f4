package fairgate.sale;

import fairgate.catalog.SaleKeys;
import fairgate.kernel.Audit;
import fairgate.kernel.AuditEvent;
import fairgate.kernel.Caller;
import fairgate.kernel.ErrorCode;
import fairgate.kernel.Ids;
import fairgate.kernel.KeyRing;
import fairgate.kernel.OrderId;
import fairgate.kernel.Pass;
import fairgate.kernel.PassCodec;
import fairgate.kernel.ProductId;
import fairgate.kernel.ServiceUnavailable;
import fairgate.kernel.SessionId;
import fairgate.platform.http.Refusal;
import fairgate.platform.http.Request;
import fairgate.platform.redis.RedisClient;
import fairgate.platform.redis.ScriptBatcher;
import fairgate.sale.SaleScripts.LiveScript;
import io.vertx.core.Future;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BiConsumer;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/// Sells units. Thread-safe; never blocks an event loop.
///
/// Never oversells: stock, limits, token, order and outbox event change in one script run. When
/// Redis does not answer, the future fails and the outcome is unknown; a repeat with the same
/// idempotency key returns the first reply.
public final class SaleService {
  private static final Duration RETRY_AFTER = Duration.ofSeconds(1);
  private static final Future<RiskCheck> NO_CHECK = Future.succeededFuture(RiskCheck.PASSED);

  private final PassCodec passes;
  private final KeyRing keyRing;
  private final Ids ids;
  private final SaleFeature.Config config;
  private final RedisClient redis;
  private final PurchaseScript script;
  private final LiveScript live;
  private final Audit audit;
  private final Map<ProductId, Slot> slots = new ConcurrentHashMap<>();
  private final Predicate<ProductId> known;
  private final UnaryOperator<OrderId> numbers;
  private volatile Consumer<ProductId> onDeparture = _ -> {};
  private volatile BiConsumer<ProductId, ErrorCode> refusals = (_, _) -> {};
  private volatile Consumer<@Nullable PurchaseOutcome> attempts = _ -> {};
  private volatile Function<PurchaseRequest, Future<RiskCheck>> risk = _ -> NO_CHECK;
  private volatile BooleanSupplier outboxFull = () -> false;

  /// @param soldOut whether the last purchase on this node left no unit or found too few
  private record Slot(SaleKeys keys, ScriptBatcher.Shared purchases, AtomicBoolean soldOut) {}

  /// @param known whether the catalog of this node has the product; nothing is kept for any other
  /// @param numbers gives a new order id its number
  public SaleService(
      RedisClient redis,
      KeyRing keyRing,
      Ids ids,
      SaleFeature.Config config,
      Audit audit,
      Predicate<ProductId> known,
      UnaryOperator<OrderId> numbers) {
    this.known = known;
    this.numbers = numbers;
    this.keyRing = keyRing;
    this.passes = new PassCodec(keyRing);
    this.ids = ids;
    this.config = config;
    this.redis = redis;
    this.script = new PurchaseScript(redis);
    this.live = new LiveScript(redis);
    this.audit = audit;
  }

  /// A request to buy.
  ///
  /// @param token the purchase token as sent, if any
  /// @param expectedAmount the price of all units that the buyer agreed to, in minor units; null =
  ///   any price
  /// @param idempotencyKey the session's key, 1 to 255 printable characters, if any; the same text
  ///   of another session is another key
  /// @param caller asked for when the risk is judged, and for the audit entry of a purchase
  /// @param http the HTTP request; null when it came through another channel
  public record PurchaseRequest(
      SessionId session,
      ProductId product,
      int quantity,
      @Nullable String token,
      @Nullable Long expectedAmount,
      @Nullable String idempotencyKey,
      Supplier<Caller> caller,
      @Nullable Request http) {}

  /// Sets the listener for products whose buyer has left the queue, so that the next one moves up
  /// at once.
  public void onDeparture(Consumer<ProductId> listener) {
    onDeparture = listener;
  }

  /// Sets the listener for refused purchases. It is called on event loops.
  public void onRefusal(BiConsumer<ProductId, ErrorCode> listener) {
    refusals = listener;
  }

  /// Sets the listener for attempts to buy, also for waiting lists. It gets null for an outcome
  /// that is not known. It is called on event loops.
  void onAttempt(Consumer<@Nullable PurchaseOutcome> listener) {
    attempts = listener;
  }

  /// The check of a purchase's risk.
  ///
  /// @param refusal empty when the purchase may go on
  /// @param recorder records the decision; called when the judgement could change the outcome
  public record RiskCheck(Optional<Refusal> refusal, Runnable recorder) {
    public static final RiskCheck PASSED = new RiskCheck(Optional.empty(), () -> {});
  }

  /// Sets the check of a purchase's risk. Its future never fails.
  public void onRisk(Function<PurchaseRequest, Future<RiskCheck>> check) {
    risk = check;
  }

  /// Sets the check whether Redis holds as many events for the ledger as it may: then nothing new
  /// is sold.
  public void onFullOutbox(BooleanSupplier isFull) {
    outboxFull = isFull;
  }

  /// Buys, or returns the refusal: by a script that only asks while the sale seems sold out, by
  /// risk, or by `purchase.lua`, in this order. Fails with ServiceUnavailable while the outbox is
  /// full, except for a repeat. A repeat with the same idempotency key and request returns the
  /// first reply. A repeat without a key returns `AlreadyPurchased` with the order after a success.
  public Future<PurchaseOutcome> purchase(PurchaseRequest request) {
    return (outboxFull.getAsBoolean() ? refusedByFullOutbox(request) : unlessSoldOut(request))
        .onComplete(done -> attempts.accept(done.result()));
  }

  private Future<PurchaseOutcome> unlessSoldOut(PurchaseRequest request) {
    return refusalOfSoldOutSale(request)
        .compose(
            refusal ->
                refusal
                    .<Future<PurchaseOutcome>>map(Future::succeededFuture)
                    .orElseGet(() -> afterRisk(request)))
        .onSuccess(
            outcome -> {
              noteFreeUnits(request.product(), outcome);
              noteRefusal(request.product(), outcome);
            });
  }

  /// Judging a risk costs more than all else of a purchase, and after the last unit most attempts
  /// are in vain. When the last purchase of this node left no unit or found too few, the script is
  /// asked first whether the sale itself refuses.
  private Future<Optional<PurchaseOutcome>> refusalOfSoldOutSale(PurchaseRequest request) {
    Slot slot = slot(request.product());
    return slot.soldOut().get()
        ? script.ask(slot.keys(), slot.purchases(), attempt(request, null))
        : Future.succeededFuture(Optional.empty());
  }

  private void noteFreeUnits(ProductId product, PurchaseOutcome outcome) {
    if (outcome instanceof PurchaseOutcome.SoldOut) {
      slot(product).soldOut().set(true);
    } else if (outcome instanceof PurchaseOutcome.Reserved bought && !bought.replayed()) {
      slot(product).soldOut().set(bought.remaining() == 0);
    }
  }

  private Future<PurchaseOutcome> afterRisk(PurchaseRequest request) {
    return risk.apply(request)
        .compose(
            check ->
                check
                    .refusal()
                    .map(refusal -> risky(request, refusal))
                    .orElseGet(() -> buy(request))
                    .onComplete(
                        done -> {
                          if (matters(done.result())) {
                            check.recorder().run();
                          }
                        }));
  }

  /// Buys for the next person of a waiting list. There is no request whose risk could be judged:
  /// that was done when the person joined.
  public Future<PurchaseOutcome> reserve(PurchaseRequest request) {
    return (outboxFull.getAsBoolean() ? refusedByFullOutbox(request) : buy(request))
        .onComplete(done -> attempts.accept(done.result()));
  }

  private Future<PurchaseOutcome> refusedByFullOutbox(PurchaseRequest request) {
    return repeated(
        request,
        Future.failedFuture(
            new ServiceUnavailable("Redis has too many events for the ledger", RETRY_AFTER)));
  }

  private void noteRefusal(ProductId product, PurchaseOutcome outcome) {
    if (outcome instanceof PurchaseOutcome.Refused refused && known.test(product)) {
      refusals.accept(product, refused.code());
    }
  }

  /// Whether the judgement could change the outcome: a repeat gets the first reply, and what the
  /// sale itself refuses is refused at any risk. An unknown outcome (null) counts as changed.
  private static boolean matters(@Nullable PurchaseOutcome outcome) {
    return switch (outcome) {
      case null -> true;
      case PurchaseOutcome.Reserved reserved -> !reserved.replayed();
      case PurchaseOutcome.Risky _ -> true;
      case PurchaseOutcome.Refused _ -> false;
    };
  }

  /// A repeat gets the first reply, whatever its risk is now. Nothing can be bought with a key that
  /// has a reply.
  private Future<PurchaseOutcome> risky(PurchaseRequest request, Refusal refusal) {
    return repeated(request, Future.succeededFuture(new PurchaseOutcome.Risky(refusal)));
  }

  /// The first reply for a repeat, and the refusal for anything else.
  private Future<PurchaseOutcome> repeated(
      PurchaseRequest request, Future<PurchaseOutcome> refused) {
    PurchaseScript.Idempotency key = idempotency(request);
    return key == null
        ? refused
        : redis
            .send("EXISTS", slot(request.product()).keys().idempotency(key.key()))
            .compose(found -> found.number() == 0 ? refused : buy(request));
  }

  private Future<PurchaseOutcome> buy(PurchaseRequest request) {
    Slot slot = slot(request.product());
    Future<PurchaseOutcome> asked =
        script.run(
            slot.keys(),
            slot.purchases(),
            attempt(request, numbers.apply(ids.order(request.product()))));
    Future<PurchaseOutcome> answered =
        redis.clustered() ? asked.compose(said -> notInQueueIfElsewhere(request, said)) : asked;
    return answered
        .compose(outcome -> outageIfKnown(request.product(), outcome))
        .onSuccess(
            outcome -> {
              if (outcome instanceof PurchaseOutcome.Reserved reserved && !reserved.replayed()) {
                onDeparture.accept(request.product());
                note(request, reserved);
              }
            });
  }

  private PurchaseScript.Attempt attempt(PurchaseRequest request, @Nullable OrderId order) {
    return new PurchaseScript.Attempt(
        order,
        request.session(),
        request.quantity(),
        pass(request),
        request.expectedAmount(),
        idempotency(request));
  }

  /// Redis decides even if this node's catalog does not have the product: another node may have
  /// created it a moment ago, and a repeat has to get its first reply. A known product without a
  /// sale in Redis means that Redis lost it or that it is not set up yet. That is an outage.
  private Future<PurchaseOutcome> outageIfKnown(ProductId product, PurchaseOutcome outcome) {
    return outcome instanceof PurchaseOutcome.NoSuchProduct && known.test(product)
        ? Future.failedFuture(new ServiceUnavailable("Redis lacks the sale", RETRY_AFTER))
        : Future.succeededFuture(outcome);
  }

  /// In a cluster a script cannot read sessions of other sales.
  private Future<PurchaseOutcome> notInQueueIfElsewhere(
      PurchaseRequest request, PurchaseOutcome said) {
    if (!(said instanceof PurchaseOutcome.UnknownSession)) {
      return Future.succeededFuture(said);
    }
    return redis
        .send("GET", SaleKeys.pointer(request.session()))
        .map(
            product ->
                product.isNil() || product.text().equals(request.product().value())
                    ? said
                    : new PurchaseOutcome.NotInQueue());
  }

  private void note(PurchaseRequest request, PurchaseOutcome.Reserved reserved) {
    audit.note(
        new AuditEvent(
            AuditEvent.Kind.PURCHASE,
            reserved.status(),
            request.caller().get().in(request.session()),
            Map.of(
                "product",
                request.product().value(),
                "order",
                reserved.order().value(),
                "quantity",
                reserved.quantity(),
                "amount",
                reserved.amount().minorUnits())));
  }

  public Future<LiveCounters> live(ProductId product) {
    return live.run(slot(product).keys());
  }

  /// A token that is forged, or belongs to another session or product, counts as none. Where tokens
  /// are required, the script refuses both alike.
  private @Nullable Pass pass(PurchaseRequest request) {
    String token = request.token();
    if (token == null) {
      return null;
    }
    return passes
        .decode(token)
        .filter(p -> p.session().equals(request.session()))
        .filter(p -> p.product().equals(request.product()))
        .orElse(null);
  }

  private PurchaseScript.@Nullable Idempotency idempotency(PurchaseRequest request) {
    String key = request.idempotencyKey();
    if (key == null) {
      return null;
    }
    // A key belongs to its session: two buyers may use the same text.
    String owned = keyRing.fingerprint("idempotency-key", request.session() + "|" + key);
    // The fingerprint excludes the token, because a client that retries may have a newer one.
    String content = request.session() + "|" + request.product() + "|" + request.quantity();
    if (request.expectedAmount() != null) {
      content += "|" + request.expectedAmount();
    }
    return new PurchaseScript.Idempotency(owned, keyRing.fingerprint("idempotency", content));
  }

  /// Cached for products of the catalog only, because anybody can invent others.
  private Slot slot(ProductId product) {
    Slot slot = slots.get(product);
    if (slot != null) {
      return slot;
    }
    return known.test(product) ? slots.computeIfAbsent(product, this::newSlot) : newSlot(product);
  }

  private Slot newSlot(ProductId product) {
    SaleKeys keys = SaleKeys.of(product, config.keyStyle());
    return new Slot(
        keys, PurchaseScript.shared(keys, config.idempotencyLife()), new AtomicBoolean());
  }
}
