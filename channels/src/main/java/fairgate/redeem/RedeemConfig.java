package fairgate.redeem;

import fairgate.redeem.code.CodeMask;
import fairgate.redeem.guard.BudgetConfig;
import fairgate.redeem.orders.OrderNumberFormats;
import fairgate.redeem.orders.OrderSystemConfig;
import fairgate.redeem.product.RedeemProduct;
import java.time.Duration;

/// The settings of redeeming.
///
/// @param mask how generated codes look
/// @param shapes how order numbers look
/// @param limited whether there are budgets and bans
/// @param uniform how refusals look from outside
/// @param failuresKept how long refused claims are kept
public record RedeemConfig(
    CodeMask mask,
    OrderNumberFormats shapes,
    OrderSystemConfig orderSystem,
    OrderSignatureConfig signature,
    boolean limited,
    BudgetConfig budget,
    Uniform uniform,
    Duration failuresKept) {

  /// How refusals look from outside.
  ///
  /// @param on whether whatever is wrong with an order is told as `ORDER_NOT_FOUND`
  /// @param grid refusals are then given after a multiple of it, counted from the request
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

  /// What holds where nothing is set.
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
