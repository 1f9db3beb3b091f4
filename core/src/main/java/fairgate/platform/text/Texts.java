package fairgate.platform.text;

import fairgate.platform.json.Json;
import fairgate.platform.json.JsonObject;
import java.util.Collections;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

/// All texts for people: `texts.json` in `web` and in the folders of features. Each key has its
/// text in every language. `pages` are the texts of visitors' pages, `console` those that only the
/// console needs, `messages` those of replies, mails and commands.
public final class Texts {
  private static final String PAGES = "pages";
  private static final Set<String> OF_FEATURES = new TreeSet<>();
  private static final Map<String, Map<Language, Map<String, String>>> SECTIONS = read();

  private Texts() {}

  /// The texts of a section in each language by key, in the order of the files.
  public static Map<Language, Map<String, String>> of(String section) {
    return SECTIONS.getOrDefault(section, Map.of());
  }

  /// Beginnings of the keys of pages in the folders of features, such as `links.`: only the
  /// feature's own pages need them.
  public static Set<String> ofFeatures() {
    return Collections.unmodifiableSet(OF_FEATURES);
  }

  private static Map<String, Map<Language, Map<String, String>>> read() {
    Map<String, Map<Language, Map<String, String>>> sections = new HashMap<>();
    FeatureFiles.named("texts.json")
        .forEach(
            (path, file) -> {
              JsonObject json = Json.parseObject(file);
              for (String section : json.names()) {
                JsonObject texts = object(json, section);
                add(texts, sections.computeIfAbsent(section, any -> new EnumMap<>(Language.class)));
                if (section.equals(PAGES) && !path.startsWith("web/")) {
                  texts
                      .names()
                      .forEach(key -> OF_FEATURES.add(key.substring(0, key.indexOf('.') + 1)));
                }
              }
            });
    sections.replaceAll((section, texts) -> readOnly(texts));
    return sections;
  }

  private static void add(JsonObject texts, Map<Language, Map<String, String>> section) {
    for (String key : texts.names()) {
      JsonObject translations = object(texts, key);
      for (Language language : Language.values()) {
        if (!(translations.get(language.tag()) instanceof String text)) {
          throw new IllegalStateException("no text in " + language.tag() + ": " + key);
        }
        if (section.computeIfAbsent(language, any -> new LinkedHashMap<>()).put(key, text)
            != null) {
          throw new IllegalStateException("two texts with the key " + key);
        }
      }
    }
  }

  private static Map<Language, Map<String, String>> readOnly(
      Map<Language, Map<String, String>> texts) {
    texts.replaceAll((language, byKey) -> Collections.unmodifiableMap(byKey));
    return Collections.unmodifiableMap(texts);
  }

  private static JsonObject object(JsonObject parent, String name) {
    if (parent.get(name) instanceof JsonObject child) {
      return child;
    }
    throw new IllegalStateException("not an object in texts.json: " + name);
  }
}
