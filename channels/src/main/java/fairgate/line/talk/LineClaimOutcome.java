package fairgate.line.talk;

import java.util.List;

/// The outcome of a claim by chat.
public sealed interface LineClaimOutcome {
  /// The codes of the order, formatted for the reader.
  record Claimed(List<String> codes) implements LineClaimOutcome {
    public Claimed {
      codes = List.copyOf(codes);
    }
  }

  /// The order number fits several products; the user has to choose.
  ///
  /// @param order order number found in the text
  record WhichProduct(String order, List<Product> products) implements LineClaimOutcome {
    public WhichProduct {
      products = List.copyOf(products);
    }
  }

  /// A redeemable product.
  record Product(String id, String name) {}

  /// The claim was refused.
  ///
  /// @param why reason in the claimant's language
  record Refused(String why) implements LineClaimOutcome {}

  /// The shop issues no codes by chat.
  record NotOffered() implements LineClaimOutcome {}
}
