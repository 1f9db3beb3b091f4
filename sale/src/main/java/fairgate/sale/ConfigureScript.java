package fairgate.sale;

import fairgate.catalog.Product;
import fairgate.catalog.SaleKeys;
import fairgate.catalog.SalePolicy;
import fairgate.platform.redis.LuaScript;
import fairgate.platform.redis.RedisClient;
import io.vertx.core.Future;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/// Calls `configure.lua`, which brings a sale to a version of the catalog.
record ConfigureScript(RedisClient redis) {
  private static final LuaScript SCRIPT = LuaScript.load(ConfigureScript.class, "configure.lua");

  enum Reply {
    /// The sale is at this version now.
    APPLIED,
    /// The sale is at this version or a newer one already.
    SAME,
    /// Redis has no such sale, and the call was not to create it.
    MISSING
  }

  /// @param createEpoch the epoch of a sale made by this call; 0 = do not make one
  Future<Reply> run(SaleKeys keys, Product product, long createEpoch) {
    List<String> args = new ArrayList<>();
    args.add(Long.toString(product.version()));
    args.add(product.state().word());
    args.add(createEpoch > 0 ? "1" : "0");
    args.add(Long.toString(createEpoch));
    args.addAll(fields(product));
    return redis.run(SCRIPT, List.of(keys.sale()), args).map(reply -> Reply.valueOf(reply.text()));
  }

  /// The policy as fields of the sale hash; `docs/redis-keys.md` names them.
  static List<String> fields(Product product) {
    SalePolicy policy = product.policy();
    SalePolicy.Admission admission = policy.admission();
    SalePolicy.Limits limits = policy.limits();
    SalePolicy.Fairness fairness = product.fairness();
    // Winners of a draw need not wait on the page: their offers have an announced end.
    boolean isDraw = fairness.preQueue() == SalePolicy.PreQueue.DRAW;
    Integer paymentWindow = policy.payment().windowSeconds();
    Integer tokenLife = policy.token().ttlSeconds();
    return List.of(
        "opens_at", millis(policy.schedule().opensAt()),
        "closes_at", millis(policy.schedule().closesAt()),
        "last_batch_at", millis(policy.schedule().lastBatchAt()),
        "capacity", text(admission.activeCapacity()),
        "slots", text(Math.min(admission.readySlots(), admission.activeCapacity())),
        "rate", text(orZero(admission.perSecond())),
        "window_ms", text(admission.purchaseWindowSeconds() * 1_000L),
        "jitter_ms", text(admission.jitterMs()),
        "presence_ms", text(isDraw ? 0 : orZero(admission.presenceTimeoutSeconds()) * 1_000L),
        "max_quantity", text(limits.maxQuantity()),
        "max_user", text(orZero(limits.maxPerUser())),
        "max_device", text(orZero(limits.maxPerDevice())),
        "places_ip", text(orZero(fairness.placesPerIp())),
        "places_net", text(orZero(fairness.placesPerNetwork())),
        "places_site", text(orZero(fairness.placesPerSite())),
        "units_ip", text(orZero(fairness.unitsPerIp())),
        "units_net", text(orZero(policy.unitsOf(fairness.placesPerNetwork()))),
        "units_site", text(orZero(policy.unitsOf(fairness.placesPerSite()))),
        "identity", fairness.identity().userPrefix(),
        "priority", tiers(policy),
        "show_up_ms", text(isDraw ? 0 : orZero(admission.showUpSeconds()) * 1_000L),
        "joins", admission.joinsStopped() ? "stopped" : "open",
        "shuffle", shuffle(fairness.preQueue()),
        "cooldown_s", text(limits.unpaidCooldownSeconds()),
        "token", policy.token().required() ? "1" : "0",
        "token_ttl_ms", text(orZero(tokenLife) * 1_000L),
        "payment", policy.payment().required() ? "1" : "0",
        "payment_ms", text(orZero(paymentWindow) * 1_000L),
        "deposit", policy.payment().deposit() == null ? "" : "1",
        "price", text(product.details().price().minorUnits()),
        "currency", product.details().price().currency());
  }

  private static String shuffle(SalePolicy.PreQueue preQueue) {
    return switch (preQueue) {
      case SHUFFLE -> "1";
      case ARRIVAL -> "0";
      case DRAW -> "draw";
    };
  }

  /// `share:until;share:until`, see `tiers.lua`.
  private static String tiers(SalePolicy policy) {
    return policy.priority().stream()
        .map(tier -> tier.share() + ":" + tier.until().toEpochMilli())
        .collect(Collectors.joining(";"));
  }

  private static long orZero(@Nullable Integer value) {
    return value == null ? 0 : value;
  }

  private static String millis(@Nullable Instant instant) {
    return instant == null ? "0" : text(instant.toEpochMilli());
  }

  private static String text(long number) {
    return Long.toString(number);
  }
}
