package fairgate.redeem;

import fairgate.platform.feature.Feature;
import fairgate.platform.feature.FeatureSettings;
import fairgate.platform.feature.Secret;
import fairgate.platform.feature.Setting;
import fairgate.redeem.code.CodeMask;
import fairgate.redeem.guard.ClaimBudget;
import fairgate.redeem.orders.OrderNumberFormats;
import fairgate.redeem.orders.OrderSystem;
import java.time.Duration;
import java.time.ZoneId;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;

/// The settings of redemption codes.
public record RedeemSettings(
    @Setting(
            name = "redeem.code_mask",
            fallback = "MHYDET-XXXXXX-XXXX",
            values = "mask",
            doc =
                "Format of codes: a prefix, then groups of X; 7 to 30 X, of which the "
                    + "last one is a check character.")
        CodeMask codeMask,
    @Setting(
            name = "redeem.platforms",
            values = "list of platforms",
            doc =
                "Platforms and the shapes of their order numbers, `name=pattern` "
                    + "separated by spaces; empty means Taobao, Xiaohongshu, Douyin, generic "
                    + "and Fairgate's own.")
        OrderNumberFormats platforms,
    @Setting(
            name = "redeem.uniform_errors",
            fallback = "off",
            doc =
                "Whether every refusal of an order is reported as `ORDER_NOT_FOUND`, with "
                    + "the same response time.")
        boolean uniformErrors,
    @Setting(
            name = "redeem.expires_at",
            fallback = "utc",
            words = {"utc", "local"},
            doc =
                "Form of times in replies about codes: `utc` as `2026-01-15T15:59:59Z`; `local` as "
                    + "`2026-01-15T23:59:59` without an offset, in `shop.time_zone`.")
        String expiresAt,
    OrderSignature signature,
    ClaimLimits limits,
    @Setting(
            name = "redeem.failures_days",
            fallback = "30",
            min = 1,
            max = 3_650,
            doc = "How long refused claims are kept, in days.")
        int failuresDays,
    RemoteOrders remote)
    implements FeatureSettings {
  public static final Map<Class<?>, Function<String, Object>> FORMATS =
      Map.of(
          CodeMask.class,
          CodeMask::of,
          OrderNumberFormats.class,
          text -> OrderNumberFormats.of(text.isEmpty() ? OrderNumberFormats.DEFAULT : text));

  @Override
  public List<String> problems(boolean serve) {
    if (signature.keys().stream().anyMatch(key -> !key.expose().matches("(?s)[^:]+:.+"))) {
      return List.of("redeem.signature_keys: expected id:secret, separated by commas");
    }
    return signature.required() && signature.keys().isEmpty()
        ? List.of("redeem.signature_keys: redeem.signature needs at least one")
        : List.of();
  }

  /// What the feature runs by. Only for settings without problems.
  RedeemConfig config(Feature.Site site) {
    ZoneId zone = site.pages().zone();
    RedeemConfig base = RedeemConfig.defaults();
    return new RedeemConfig(
        codeMask,
        platforms,
        remote.config(zone),
        signature.config(),
        site.hasLimits(),
        new ClaimBudget.Config(
            limits.perMinute(),
            limits.perDay(),
            limits.perOrder(),
            limits.missesPerHour(),
            limits.banAfterMisses(),
            Duration.ofMinutes(limits.banMinutes())),
        new RedeemConfig.Uniform(uniformErrors, base.uniform().grid()),
        Duration.ofDays(failuresDays),
        new RedeemConfig.Times(expiresAt.equals("local") ? zone : null));
  }

  public record OrderSignature(
      @Setting(
              name = "redeem.signature",
              fallback = "off",
              doc = "Whether a claim requires a signature by the seller's system.")
          boolean required,
      @Setting(
              name = "redeem.signature_keys",
              doc = "Keys of order signatures as `id:secret`, separated by commas.")
          List<Secret> keys,
      @Setting(
              name = "redeem.plain_signature",
              fallback = "off",
              doc =
                  "Whether the plain signature of `order_id:product_id`, which never "
                      + "expires, is accepted too.")
          boolean plain) {
    private RedeemConfig.OrderSignature config() {
      Map<String, String> secrets = new HashMap<>();
      for (Secret key : keys) {
        String[] parts = key.expose().split(":", 2);
        secrets.put(parts[0], parts[1]);
      }
      return new RedeemConfig.OrderSignature(required, secrets, plain);
    }
  }

  public record ClaimLimits(
      @Setting(
              name = "redeem.claims_per_minute",
              fallback = "10",
              min = 0,
              max = 10_000,
              doc = "Claim attempts per address per minute; 0 = unlimited.")
          int perMinute,
      @Setting(
              name = "redeem.claims_per_day",
              fallback = "20",
              min = 0,
              max = 10_000,
              doc =
                  "Claim attempts per browser and per `device_id`, over all addresses, in 24 hours; "
                      + "0 = unlimited.")
          int perDay,
      @Setting(
              name = "redeem.claims_per_order",
              fallback = "30",
              min = 0,
              max = 10_000,
              doc = "Claim attempts per order per hour, by all callers; 0 = unlimited.")
          int perOrder,
      @Setting(
              name = "redeem.misses_per_hour",
              fallback = "10",
              min = 0,
              max = 1_000,
              doc =
                  "Failed claim attempts per device per hour before further ones are "
                      + "refused; five times as many per address; 0 = unlimited.")
          int missesPerHour,
      @Setting(
              name = "redeem.ban_after_misses",
              fallback = "20",
              min = 0,
              max = 1_000,
              doc =
                  "Failed claim attempts per device in 24 hours that lead to a ban; five "
                      + "times as many per address; 0 = no bans.")
          int banAfterMisses,
      @Setting(
              name = "redeem.ban_minutes",
              fallback = "60",
              min = 1,
              max = 43_200,
              doc = "Duration of the ban, in minutes.")
          int banMinutes) {}

  public record RemoteOrders(
      @Setting(
              name = "order_system.url",
              schemes = {"http", "https"},
              doc = "The seller's order system, asked for orders that were not imported.")
          String url,
      @Setting(name = "order_system.token", doc = "The order system's access token.") Secret token,
      @Setting(
              name = "order_system.timeout_ms",
              fallback = "3000",
              min = 100,
              max = 8_000,
              doc = "Timeout of calls to the order system, in milliseconds.")
          int timeoutMs,
      @Setting(
              name = "order_system.time_zone",
              values = "time zone such as Asia/Taipei",
              doc =
                  "Time zone of the order system's times without an offset; by default"
                      + " `shop.time_zone`.")
          Optional<ZoneId> timeZone) {
    /// @param shop the time zone of the shop
    private OrderSystem.Config config(ZoneId shop) {
      OrderSystem.Config base = OrderSystem.Config.at(url, token.expose());
      return new OrderSystem.Config(
          base.url(),
          base.token(),
          Duration.ofMillis(timeoutMs),
          base.failures(),
          base.pause(),
          timeZone.orElse(shop));
    }
  }
}
