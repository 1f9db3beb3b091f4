package fairgate.app.config;

import fairgate.platform.feature.Setting;
import fairgate.redeem.code.CodeMask;
import fairgate.redeem.orders.OrderNumberFormats;
import java.util.List;

/// Redemption codes.
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
        int failuresDays) {
  /// Signatures of orders.
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
          boolean plain) {}

  /// Limits on claim attempts.
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
}
