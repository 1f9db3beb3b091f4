package fairgate.platform.page;

import fairgate.platform.json.Json;
import fairgate.platform.json.JsonObject;
import fairgate.platform.text.FeatureFiles;
import fairgate.platform.text.Language;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/// The texts of pages in one language, used by the server and, embedded in the page, by the
/// browser. Visitors' pages have those of `lang/<language>.json`, in `web` and in the folders of
/// features; the console also those of `lang/console`, which would only make the visitors' pages
/// larger.
public final class Dictionary {
  private static final Map<Language, Dictionary> ALL = load("");
  private static final Map<Language, Dictionary> CONSOLE = load("console/");

  private final Language language;
  private final Map<String, String> texts;

  private Dictionary(Language language, Map<String, String> texts) {
    this.language = language;
    this.texts = texts;
  }

  public static Dictionary of(Language language) {
    Dictionary dictionary = ALL.get(language);
    if (dictionary == null) {
      throw new IllegalStateException("no dictionary for " + language);
    }
    return dictionary;
  }

  /// The texts of the console, including those of the visitors' pages.
  public static Dictionary console(Language language) {
    Map<String, String> texts = new LinkedHashMap<>(of(language).texts);
    texts.putAll(Objects.requireNonNull(CONSOLE.get(language)).texts);
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

  private static Map<Language, Dictionary> load(String folder) {
    Map<Language, Dictionary> all = new EnumMap<>(Language.class);
    for (Language language : Language.values()) {
      Map<String, String> texts = new LinkedHashMap<>();
      for (byte[] file : files(folder, language).values()) {
        JsonObject json = Json.parseObject(file);
        for (String key : json.names()) {
          texts.put(key, String.valueOf(json.get(key)));
        }
      }
      all.put(language, new Dictionary(language, texts));
    }
    return all;
  }

  private static Map<String, byte[]> files(String folder, Language language) {
    return FeatureFiles.named("lang/" + folder + language.tag() + ".json");
  }

  /// Beginnings of the keys in the folders of features, such as `links.`: only the feature's own
  /// pages need them.
  static Set<String> ofFeatures() {
    Set<String> beginnings = new TreeSet<>();
    files("", Language.EN)
        .forEach(
            (path, file) -> {
              if (!path.startsWith("web/")) {
                Json.parseObject(file)
                    .names()
                    .forEach(key -> beginnings.add(key.substring(0, key.indexOf('.') + 1)));
              }
            });
    return beginnings;
  }
}
