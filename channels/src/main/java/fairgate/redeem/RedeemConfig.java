package fairgate.redeem;

import fairgate.redeem.code.CodeMask;
import fairgate.redeem.guard.BudgetConfig;
import fairgate.redeem.orders.OrderNumberFormats;
import fairgate.redeem.orders.OrderSystemConfig;
import fairgate.redeem.product.RedeemProduct;
import java.time.Duration;

/// The settings of redemption.
///
/// @param mask format of generated codes
/// @param shapes formats of order numbers
/// @param limited whether budgets and bans apply
/// @param uniform whether refusals look the same
/// @param failuresKept retention of the failure log
public record RedeemConfig(
    CodeMask mask,
    OrderNumberFormats shapes,
    OrderSystemConfig orderSystem,
    OrderSignatureConfig signature,
    boolean limited,
    BudgetConfig budget,
    Uniform uniform,
    Duration failuresKept) {

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

  /// How the codes of a product look.
  CodeMask maskOf(RedeemProduct product) {
    return product.codePrefix() == null ? mask : mask.withPrefix(product.codePrefix());
  }

  /// The default settings.
  public static RedeemConfig defaults() {
    return new RedeemConfig(
        CodeMask.of("MHYDET-XXXXXX-XXXX"),
        OrderNumberFormats.of(OrderNumberFormats.DEFAULT),
        OrderSystemConfig.at("", ""),
        OrderSignatureConfig.off(),
        true,
        BudgetConfig.defaults(),
        Uniform.off(),
        Duration.ofDays(30));
  }
}
