package fairgate.line.talk;

import fairgate.platform.text.Language;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/// Claims redemption codes.
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
  Outcome claim(Attempt attempt, Language language);

  /// A claim attempt.
  ///
  /// @param text the pasted text
  /// @param product the product; null when not yet chosen
  /// @param claimant stable pseudonym of the user; not the LINE user id
  record Attempt(String text, @Nullable String product, String claimant) {}

  sealed interface Outcome {
    /// The codes of the order, formatted for the reader.
    record Claimed(List<String> codes) implements Outcome {
      public Claimed {
        codes = List.copyOf(codes);
      }
    }

    /// The order number fits several products; the user has to choose.
    ///
    /// @param order order number found in the text
    record WhichProduct(String order, List<Product> products) implements Outcome {
      public WhichProduct {
        products = List.copyOf(products);
      }
    }

    record Product(String id, String name) {}

    /// The claim was refused.
    ///
    /// @param why reason in the claimant's language
    record Refused(String why) implements Outcome {}

    /// The shop issues no codes by chat.
    record NotOffered() implements Outcome {}
  }
}
