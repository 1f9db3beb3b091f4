package fairgate.draw.verify;

import fairgate.draw.leaf.DrawRules;
import fairgate.draw.leaf.HouseLeaf;
import fairgate.draw.tlog.StrictText;

/// An honest draw of a product that has other draws in the log: `first` came before it, `later`
/// after it, and `other` is of another product.
public final class RepeatedDraw {
  private RepeatedDraw() {}

  /// @param number added to the first one with a product
  public static TestDraw of(long number, int size) {
    long id = TestDraw.WITH_PRODUCT + number;
    String rules = TestDraw.honest(id, size).rules().json();
    return TestDraw.tampered(
        id,
        size,
        leaf -> {
          String text = StrictText.utf8(leaf).orElseThrow();
          if (text.startsWith("fairgate-audit-day/1\n")) {
            return announced(rules.replace("draw-" + id, "first"));
          }
          if (text.startsWith("fairgate-head/1\ndraw another-draw\n")) {
            return announced(rules.replace("draw-" + id, "other").replace(":\"27\"", ":\"28\""));
          }
          return text.startsWith("fairgate-policy/1\n")
              ? announced(rules.replace("draw-" + id, "later"))
              : leaf;
        });
  }

  private static byte[] announced(String rules) {
    return new HouseLeaf.Rules(DrawRules.canonical(rules).orElseThrow()).data();
  }
}
