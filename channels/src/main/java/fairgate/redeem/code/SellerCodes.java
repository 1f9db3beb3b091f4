package fairgate.redeem.code;

import fairgate.platform.postgres.Db;
import java.util.List;

/// Codes supplied by sellers, bound to orders at import.
public final class SellerCodes {
  private final CodeVault vault;

  public SellerCodes(CodeVault vault) {
    this.vault = vault;
  }

  /// Binds codes to orders inside the caller's transaction. Blocks; a repeat changes nothing.
  ///
  /// @param codes at most a thousand
  /// @param actor recorded in the codes' events
  /// @return one outcome per code, in their order
  public List<BindOutcome> bind(Db db, List<SellerCode> codes, String actor) {
    return PostgresSellerCodes.bind(db, vault, codes, actor);
  }

  /// A code the seller brings, for one order.
  ///
  /// @param platform as in `orders`
  /// @param code any text of 4 to 200 characters; shown to the buyer as it is
  public record SellerCode(String platform, String orderId, String productId, String code) {
    /// The fewest and most characters of a seller's code.
    public static final int MIN_LENGTH = 4;

    public static final int MAX_LENGTH = 200;
  }

  /// The result of binding a seller's code to an order.
  public sealed interface BindOutcome {
    /// It waits for the order's claim.
    record Bound() implements BindOutcome {}

    /// The same code was bound to the same order before, or already given out for it.
    record Repeated() implements BindOutcome {}

    /// The code belongs to another order, or stands earlier in the same call for another one.
    record CodeTaken() implements BindOutcome {}

    /// Another code waits for this order, or the order was claimed already.
    record OrderTaken() implements BindOutcome {}
  }
}
