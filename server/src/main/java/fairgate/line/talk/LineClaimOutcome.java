package fairgate.line.talk;

import java.util.List;

/// What a claim by chat came to.
public sealed interface LineClaimOutcome {
  /// The codes of the order, as they are to be typed.
  record Claimed(List<String> codes) implements LineClaimOutcome {
    public Claimed {
      codes = List.copyOf(codes);
    }
  }

  /// The order may be of several products: which?
  ///
  /// @param order its number, found in the text
  record WhichProduct(String order, List<Product> products) implements LineClaimOutcome {
    public WhichProduct {
      products = List.copyOf(products);
    }
  }

  /// What can be redeemed.
  record Product(String id, String name) {}

  /// Not granted.
  ///
  /// @param why a sentence for the claimant, in his language
  record Refused(String why) implements LineClaimOutcome {}

  /// This shop issues no codes by chat.
  record NotOffered() implements LineClaimOutcome {}
}
