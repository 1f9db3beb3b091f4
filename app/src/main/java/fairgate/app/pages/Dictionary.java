package fairgate.app.pages;

import fairgate.platform.json.Json;
import fairgate.platform.json.JsonObject;
import fairgate.platform.text.Language;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/// The texts of pages in one language, used by the server and, embedded in the page, by the
/// browser. Visitors' pages have those of `web/lang/<language>.json`; the console also those of
/// `web/lang/console`, which would only make the visitors' pages larger.
final class Dictionary {
  private static final Map<Language, Dictionary> ALL = load("");
  private static final Map<Language, Dictionary> CONSOLE = load("console/");

  private final Language language;
  private final Map<String, String> texts;

  private Dictionary(Language language, Map<String, String> texts) {
    this.language = language;
    this.texts = texts;
  }

  static Dictionary of(Language language) {
    Dictionary dictionary = ALL.get(language);
    if (dictionary == null) {
      throw new IllegalStateException("no dictionary for " + language);
    }
    return dictionary;
  }

  /// The texts of the console, including those of the visitors' pages.
  static Dictionary console(Language language) {
    Map<String, String> texts = new LinkedHashMap<>(of(language).texts);
    texts.putAll(Objects.requireNonNull(CONSOLE.get(language)).texts);
    return new Dictionary(language, texts);
  }

  Language language() {
    return language;
  }

  Set<String> keys() {
    return texts.keySet();
  }

  /// The text of a key. Throws IllegalArgumentException when there is none.
  String text(String key) {
    String text = texts.get(key);
    if (text == null) {
      throw new IllegalArgumentException("no text for key " + key);
    }
    return text;
  }

  /// The text of a key with `{name}` replaced. Inserts a space between a value that ends with a
  /// digit and a Chinese character.
  String text(String key, String name, Object value) {
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

  private static Map<Language, Dictionary> load(String folder) {
    Map<Language, Dictionary> all = new EnumMap<>(Language.class);
    for (Language language : Language.values()) {
      JsonObject json = Json.parseObject(read("/web/lang/" + folder + language.tag() + ".json"));
      Map<String, String> texts = new LinkedHashMap<>();
      for (String key : json.names()) {
        texts.put(key, String.valueOf(json.get(key)));
      }
      all.put(language, new Dictionary(language, texts));
    }
    return all;
  }

  private static byte[] read(String resource) {
    try (InputStream in = Dictionary.class.getResourceAsStream(resource)) {
      if (in == null) {
        throw new IllegalStateException("missing from the jar: " + resource);
      }
      return in.readAllBytes();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
