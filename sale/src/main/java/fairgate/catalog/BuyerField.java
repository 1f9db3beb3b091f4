package fairgate.catalog;

import fairgate.platform.text.Language;
import java.util.Arrays;
import java.util.Map;
import java.util.Optional;

/// A field that a product asks its buyers for.
///
/// @param key its name in the API: the word of its kind, or a name of its own for a `text`
/// @param labels what a `text` asks for, by language; empty for the other kinds
public record BuyerField(Kind kind, String key, Map<Language, String> labels, boolean required) {
  public BuyerField {
    labels = Map.copyOf(labels);
  }

  public enum Kind {
    NAME("name", 100),
    EMAIL("email", 254),
    PHONE("phone", 32),
    /// The only kind of several lines.
    ADDRESS("address", 300),
    /// Anything else, with a label of the operator.
    TEXT("text", 200);

    private final String word;
    private final int maxLength;

    Kind(String word, int maxLength) {
      this.word = word;
      this.maxLength = maxLength;
    }

    public String word() {
      return word;
    }

    /// In characters (code points).
    public int maxLength() {
      return maxLength;
    }

    static Optional<Kind> of(String word) {
      return Arrays.stream(values()).filter(kind -> kind.word.equals(word)).findFirst();
    }
  }

  /// The label of a `text` in a language, else in any; empty for the other kinds.
  public String label(Language language) {
    String own = labels.get(language);
    if (own != null) {
      return own;
    }
    for (Language other : Language.values()) {
      String text = labels.get(other);
      if (text != null) {
        return text;
      }
    }
    return "";
  }
}
