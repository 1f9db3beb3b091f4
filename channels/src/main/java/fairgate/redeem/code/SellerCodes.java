package fairgate.redeem.code;

import fairgate.platform.postgres.Db;
import java.util.List;

/// Binds codes that sellers supply to orders, when orders are imported.
public record SellerCodes(CodeVault vault) {
  /// Binds codes to orders inside the caller's transaction. Idempotent. Blocks.
  ///
  /// @param codes at most 1,000; the caller splits larger imports
  /// @param actor who imports them, for the history of each code
  /// @return one outcome per code, at the same index
  public List<BindOutcome> bind(Db db, List<SellerCode> codes, String actor) {
    return PostgresSellerCodes.bind(db, vault, codes, actor);
  }

  /// A code that the seller supplies for one product of one order.
  ///
  /// @param platform as in the table `orders`
  /// @param code any text of 4 to 200 characters; shown to the buyer as it is
  public record SellerCode(String platform, String orderId, String productId, String code) {
    /// Minimum number of characters of a code; the importer refuses shorter ones.
    public static final int MIN_LENGTH = 4;

    public static final int MAX_LENGTH = 200;
  }

  public sealed interface BindOutcome {
    /// The code is reserved for the order, and is given out when the order is claimed.
    record Bound() implements BindOutcome {}

    /// The same code is bound to the same order already, or was given out for it.
    record Repeated() implements BindOutcome {}

    /// The code is bound to another order, also by an earlier entry of the same call.
    record CodeTaken() implements BindOutcome {}

    /// The order has a different code for this product, or was claimed already.
    record OrderTaken() implements BindOutcome {}
  }
}
