package fairgate.line.talk;

import fairgate.platform.text.Language;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/// Claims redemption codes; implemented in `app` over the redeem feature.
public interface LineClaims {
  /// The order number in a text, parsed as on the web; empty when there is none.
  Optional<String> orderIn(String text);

  /// Whether a text mentions an order, with or without a number.
  boolean speaksOfOrder(String text);

  /// Whether orders of other platforms can be claimed in chat. Own orders always can.
  boolean takesOtherOrders();

  /// Claims the code for the order number in the text. The claimant counts as a device and an
  /// address of its own, with the limits of the web. A repeat by the same claimant returns the same
  /// code. May block.
  LineClaimOutcome claim(Attempt attempt, Language language);

  /// A claim attempt.
  ///
  /// @param text the pasted text
  /// @param product the product; null when not yet chosen
  /// @param claimant stable pseudonym of the user; not the LINE user id
  record Attempt(String text, @Nullable String product, String claimant) {}
}
