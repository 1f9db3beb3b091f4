package fairgate.redeem;

import fairgate.redeem.code.CodeMask;
import fairgate.redeem.guard.ClaimBudget;
import fairgate.redeem.orders.OrderNumberFormats;
import fairgate.redeem.orders.OrderSystem;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.time.format.DateTimeFormatter;
import java.time.temporal.ChronoUnit;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// The settings of redemption.
///
/// @param mask format of generated codes
/// @param shapes formats of order numbers
/// @param limited whether budgets and bans apply
/// @param uniform whether refusals look the same
/// @param failuresKept retention of the failure log
/// @param times how replies write times
public record RedeemConfig(
    CodeMask mask,
    OrderNumberFormats shapes,
    OrderSystem.Config orderSystem,
    OrderSignature signature,
    boolean limited,
    ClaimBudget.Config budget,
    Uniform uniform,
    Duration failuresKept,
    Times times) {
  /// The form of times in replies about codes, in whole seconds.
  ///
  /// @param local the time zone of local times without an offset; null = UTC with a `Z`
  public record Times(@Nullable ZoneId local) {
    /// ISO 8601; null for no time.
    @Nullable String text(@Nullable Instant time) {
      if (time == null) {
        return null;
      }
      Instant seconds = time.truncatedTo(ChronoUnit.SECONDS);
      return local == null
          ? seconds.toString()
          : DateTimeFormatter.ISO_LOCAL_DATE_TIME.format(seconds.atZone(local));
    }
  }

  /// Uniform refusals.
  ///
  /// @param on whether every refusal of an order is `ORDER_NOT_FOUND`
  /// @param grid the duration of a refusal is a multiple of it
  public record Uniform(boolean on, Duration grid) {
    /// Distinct codes, as soon as they are known.
    public static Uniform off() {
      return new Uniform(false, Duration.ofSeconds(1));
    }
  }

  CodeMask maskOf(RedeemProduct product) {
    return product.codePrefix() == null ? mask : mask.withPrefix(product.codePrefix());
  }

  public static RedeemConfig defaults() {
    return new RedeemConfig(
        CodeMask.of("MHYDET-XXXXXX-XXXX"),
        OrderNumberFormats.of(OrderNumberFormats.DEFAULT),
        OrderSystem.Config.at("", ""),
        OrderSignature.off(),
        true,
        ClaimBudget.Config.defaults(),
        Uniform.off(),
        Duration.ofDays(30),
        new Times(null));
  }

  /// Signatures of orders, made by the seller's own system.
  ///
  /// @param required whether a claim without a good one is refused
  /// @param keys key id to secret
  /// @param plain whether the plain form (hex HMAC-SHA256 of `order_id:product_id`, without an
  ///   expiry) is taken as well
  public record OrderSignature(boolean required, Map<String, String> keys, boolean plain) {
    public OrderSignature {
      keys = Map.copyOf(keys);
      if (required && keys.isEmpty()) {
        throw new IllegalArgumentException("redeem.signature_keys is needed to check signatures");
      }
    }

    public static OrderSignature off() {
      return new OrderSignature(false, Map.of(), false);
    }

    @Override
    public String toString() {
      return "OrderSignature[" + required + ", " + keys.keySet() + "]";
    }
  }
}
