package fairgate.sale;

import static java.util.Objects.requireNonNull;

import fairgate.catalog.SaleKeys;
import fairgate.kernel.Money;
import fairgate.kernel.OrderId;
import fairgate.kernel.Pass;
import fairgate.kernel.ProductId;
import fairgate.kernel.ServiceUnavailable;
import fairgate.kernel.SessionId;
import fairgate.platform.redis.LuaScript;
import fairgate.platform.redis.RedisClient;
import fairgate.platform.redis.ScriptBatcher;
import io.vertx.core.Future;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/// Calls `purchase.lua`, which turns ready places into reservations.
final class PurchaseScript {
  private static final LuaScript SCRIPT = LuaScript.load(PurchaseScript.class, "purchase.lua");
  private static final int MOST_ITEMS = 64;

  private final ScriptBatcher batcher;

  PurchaseScript(RedisClient redis) {
    this.batcher = new ScriptBatcher(redis, SCRIPT, MOST_ITEMS);
  }

  /// One attempt to buy.
  ///
  /// @param order the id of the order if the attempt succeeds, never used before; null only for
  ///   `ask`
  /// @param pass the verified purchase token, if one was sent
  /// @param expectedAmount the price of all units that the buyer agreed to, in minor units; null =
  ///   any price
  /// @param idempotency the caller's hashed key and the fingerprint of its request, if it sent one
  record Attempt(
      @Nullable OrderId order,
      SessionId session,
      int quantity,
      @Nullable Pass pass,
      @Nullable Long expectedAmount,
      @Nullable Idempotency idempotency) {
    /// An attempt that accepts any price.
    Attempt(
        OrderId order,
        SessionId session,
        int quantity,
        @Nullable Pass pass,
        @Nullable Idempotency idempotency) {
      this(order, session, quantity, pass, null, idempotency);
    }
  }

  /// @param key a hash of the session and the key it sent
  /// @param fingerprint without spaces or bars
  record Idempotency(String key, String fingerprint) {}

  /// The arguments that all calls for one product share.
  static ScriptBatcher.Shared shared(SaleKeys keys, Duration idempotencyLife) {
    return new ScriptBatcher.Shared(
        keys.product().value(),
        List.of(
            keys.sale(),
            keys.stock(),
            keys.active(),
            keys.ready(),
            keys.purchases(),
            keys.pending(),
            keys.devices(),
            keys.outbox()),
        List.of(
            keys.eventPrefix(),
            keys.orderPrefix(),
            keys.lockPrefix(),
            Long.toString(idempotencyLife.toSeconds()),
            keys.product().value()));
  }

  Future<PurchaseOutcome> run(SaleKeys keys, ScriptBatcher.Shared shared, Attempt call) {
    String order = requireNonNull(call.order()).value();
    return batcher.call(
        shared, item(keys, call, order), (reply, _) -> outcome(keys.product(), reply));
  }

  /// The refusal of an attempt by the sale; empty if it would succeed, is a repeat, or has an
  /// unknown session or sale. Sells nothing.
  Future<Optional<PurchaseOutcome>> ask(SaleKeys keys, ScriptBatcher.Shared shared, Attempt call) {
    return batcher.call(
        shared,
        item(keys, call, ""),
        (reply, _) ->
            reply.equals("POSSIBLE")
                    || reply.startsWith("REPLAYED")
                    || reply.equals("UNKNOWN")
                    || reply.equals("NO_SALE")
                ? Optional.empty()
                : Optional.of(outcome(keys.product(), reply)));
  }

  private static ScriptBatcher.Item item(SaleKeys keys, Attempt call, String order) {
    return new ScriptBatcher.Item(
        List.of(keys.session(call.session())), List.of(order, facts(call)));
  }

  private static String facts(Attempt call) {
    Pass pass = call.pass();
    Idempotency idempotency = call.idempotency();
    Long expected = call.expectedAmount();
    String quantityText = Integer.toString(call.quantity());
    if (pass == null && idempotency == null && expected == null) {
      return quantityText;
    }
    return String.join(
        "|",
        quantityText,
        pass == null ? "" : pass.nonce(),
        pass == null ? "0" : Long.toString(pass.expiresAt()),
        pass == null ? "" : Long.toString(pass.epoch()),
        idempotency == null ? "" : idempotency.fingerprint(),
        expected == null ? "" : Long.toString(expected),
        idempotency == null ? "" : idempotency.key());
  }

  private static PurchaseOutcome outcome(ProductId product, String reply) {
    // Most replies are one word.
    String[] f = reply.indexOf('|') < 0 ? new String[] {reply} : reply.split("\\|", -1);
    return switch (f[0]) {
      case "RESERVED" -> reserved(f, false);
      case "REPLAYED" -> reserved(f, true);
      case "CONFLICT" -> new PurchaseOutcome.IdempotencyConflict();
      case "NO_SALE" -> new PurchaseOutcome.NoSuchProduct();
      case "UNKNOWN" -> new PurchaseOutcome.UnknownSession();
      case "BOUGHT" ->
          new PurchaseOutcome.AlreadyPurchased(OrderId.isValid(f[1]) ? new OrderId(f[1]) : null);
      case "CLOSED" -> new PurchaseOutcome.SaleClosed();
      case "NOT_OPEN" -> new PurchaseOutcome.SaleNotOpen();
      case "NOT_IN_QUEUE" -> new PurchaseOutcome.NotInQueue();
      case "NOT_IN_ACTIVE" -> new PurchaseOutcome.NotInActive();
      case "NOT_READY" -> new PurchaseOutcome.NotReady();
      case "TIMEOUT" -> new PurchaseOutcome.TimedOut();
      case "BAD_TOKEN" -> new PurchaseOutcome.TokenRefused();
      case "QUANTITY" -> new PurchaseOutcome.TooMany(Integer.parseInt(f[1]));
      case "PRICE" -> new PurchaseOutcome.PriceChanged(new Money(Long.parseLong(f[1]), f[2]));
      case "LIMIT" -> new PurchaseOutcome.LimitReached();
      case "NETWORK" -> new PurchaseOutcome.NetworkLimitReached();
      case "UNVERIFIED" ->
          // The first comparison with the ledger after a restart of Redis takes about a second.
          throw new ServiceUnavailable("redis has just started", Duration.ofSeconds(1));
      case "SOLD_OUT" -> new PurchaseOutcome.SoldOut();
      case "TIERS" -> new PurchaseOutcome.UnitsReserved(Instant.ofEpochMilli(Long.parseLong(f[1])));
      default ->
          throw new IllegalStateException(
              "purchase.lua replied " + f[0] + " of product " + product);
    };
  }

  private static PurchaseOutcome reserved(String[] f, boolean replayed) {
    return new PurchaseOutcome.Reserved(
        new OrderId(f[1]),
        Integer.parseInt(f[2]),
        new Money(Long.parseLong(f[3]), f[4]),
        f[5],
        Long.parseLong(f[6]),
        Long.parseLong(f[7]),
        replayed);
  }
}
