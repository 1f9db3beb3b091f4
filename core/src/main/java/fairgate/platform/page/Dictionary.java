package fairgate.platform.page;

import fairgate.platform.text.Language;
import fairgate.platform.text.Texts;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/// The texts of pages in one language, used by the server and, embedded in the page, by the
/// browser. Visitors' pages have those of the section `pages`; the console also those of `console`,
/// which would only make the visitors' pages larger.
public final class Dictionary {
  private static final Map<Language, Map<String, String>> PAGES = Texts.of("pages");
  private static final Map<Language, Map<String, String>> CONSOLE = Texts.of("console");

  private final Language language;
  private final Map<String, String> texts;

  private Dictionary(Language language, Map<String, String> texts) {
    this.language = language;
    this.texts = texts;
  }

  public static Dictionary of(Language language) {
    return new Dictionary(language, PAGES.getOrDefault(language, Map.of()));
  }

  /// The texts of the console, including those of the visitors' pages.
  public static Dictionary console(Language language) {
    Map<String, String> texts = new LinkedHashMap<>(of(language).texts);
    texts.putAll(CONSOLE.getOrDefault(language, Map.of()));
    return new Dictionary(language, texts);
  }

  public Language language() {
    return language;
  }

  public Set<String> keys() {
    return texts.keySet();
  }

  /// The text of a key. Throws IllegalArgumentException when there is none.
  public String text(String key) {
    String text = texts.get(key);
    if (text == null) {
      throw new IllegalArgumentException("no text for key " + key);
    }
    return text;
  }

  /// The text of a key with `{name}` replaced. Inserts a space between a value that ends with a
  /// digit and a Chinese character.
  public String text(String key, String name, Object value) {
    String hole = "{" + name + "}";
    String filled = value.toString();
    boolean endsWithDigit =
        !filled.isEmpty() && Character.isDigit(filled.charAt(filled.length() - 1));
    String text = text(key);
    return endsWithDigit
        ? text.replaceAll(
                Pattern.quote(hole) + "(?=\\p{IsHan})", Matcher.quoteReplacement(filled + ' '))
            .replace(hole, filled)
        : text.replace(hole, filled);
  }
}
