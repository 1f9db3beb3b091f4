package fairgate.redeem;

import fairgate.kernel.Word;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/// The redemption settings of a product.
///
/// @param id the seller's own, such as `basic`; or that of a sale
/// @param durationDays validity of the code; null = unlimited
/// @param starts the start of the duration
/// @param activateWithinDays days after the claim in which a code that starts with its first use
///   must be used; null = any time
/// @param codePrefix prefix of the product's codes; null = that of the mask
/// @param codes the origin of codes; null = the seller's if any was ever supplied, else generated
/// @param sellersOnly whether an order without a seller's code gets none: derived from `codes`
public record RedeemProduct(
    String id,
    String name,
    @Nullable Integer durationDays,
    Starts starts,
    @Nullable Integer activateWithinDays,
    @Nullable String codePrefix,
    @Nullable Codes codes,
    boolean sellersOnly) {
  public static final int MAX_DAYS = 36_500;

  private static final Pattern ID = Pattern.compile("[A-Za-z0-9][A-Za-z0-9._-]{0,49}");

  public enum Codes implements Word {
    GENERATED,
    SELLER;

    /// The constant with this name; throws IllegalArgumentException if there is none.
    public static Codes of(String word) {
      for (Codes one : values()) {
        if (one.word().equals(word)) {
          return one;
        }
      }
      throw new IllegalArgumentException("codes is generated or seller");
    }
  }

  /// From when a code's duration runs.
  public enum Starts {
    CLAIM("claim"),
    FIRST_USE("first_use");

    private final String word;

    Starts(String word) {
      this.word = word;
    }

    /// As it is written in the API and the database.
    public String word() {
      return word;
    }

    /// The constant with this name; throws IllegalArgumentException if there is none.
    public static Starts of(String word) {
      for (Starts one : values()) {
        if (one.word.equals(word)) {
          return one;
        }
      }
      throw new IllegalArgumentException("starts is claim or first_use");
    }
  }

  public static boolean isId(String text) {
    return ID.matcher(text).matches();
  }
}
