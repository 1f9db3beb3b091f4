package fairgate.app.pages;

import fairgate.redeem.ClaimOutcome;
import fairgate.redeem.ClaimRequest;
import fairgate.redeem.code.CodeMask;
import fairgate.redeem.orders.OrderNumberFormats;
import java.util.List;
import java.util.Optional;

/// Dependencies of the claim page.
///
/// @param shapes formats of order numbers
/// @param mask format of codes, for the hint on a mistyped one
public record ClaimPageServices(
    Claims claims, Products products, OrderNumberFormats shapes, CodeMask mask) {

  /// Redeems an order. May block.
  @FunctionalInterface
  public interface Claims {
    ClaimOutcome claim(ClaimRequest request);
  }

  /// A product for the choice.
  public record Choice(String id, String name) {}

  /// The redeemable products. May block.
  public interface Products {
    /// The products that are offered for choice.
    List<Choice> all();

    /// The product with this id, also when it is not offered for choice.
    Optional<Choice> find(String id);
  }
}
