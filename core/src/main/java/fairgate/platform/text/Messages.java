package fairgate.platform.text;

import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.Reader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.EnumMap;
import java.util.Map;
import java.util.Properties;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/// The messages shown to people, in three languages: `messages_<language>.properties` beside this
/// class, in UTF-8. `{0}`, `{1}`, ... stand for arguments; there is no other syntax.
public final class Messages {
  private static final Map<Language, Map<String, String>> BUNDLES = load();

  private Messages() {}

  /// The message of the key with its arguments. Throws IllegalArgumentException when there is no
  /// such key.
  public static String text(Language language, String key, Object... args) {
    String text = find(language, key);
    if (text == null) {
      throw new IllegalArgumentException("no message " + key);
    }
    return args.length == 0 ? text : fill(text, args);
  }

  public static boolean has(String key) {
    return find(Languages.DEFAULT, key) != null;
  }

  /// All keys of a language, sorted.
  public static Set<String> keys(Language language) {
    return bundle(language).keySet();
  }

  private static @Nullable String find(Language language, String key) {
    return bundle(language).get(key);
  }

  private static Map<String, String> bundle(Language language) {
    Map<String, String> bundle = BUNDLES.get(language);
    if (bundle == null) {
      throw new IllegalStateException("no bundle for " + language);
    }
    return bundle;
  }

  private static String fill(String text, Object[] args) {
    StringBuilder filled = new StringBuilder(text.length() + 32);
    int at = 0;
    while (at < text.length()) {
      char c = text.charAt(at);
      boolean hole = c == '{' && at + 2 < text.length() && text.charAt(at + 2) == '}';
      int number = hole ? text.charAt(at + 1) - '0' : -1;
      if (number >= 0 && number < args.length) {
        filled.append(args[number]);
        at += 3;
      } else {
        filled.append(c);
        at++;
      }
    }
    return filled.toString();
  }

  private static Map<Language, Map<String, String>> load() {
    Map<Language, Map<String, String>> all = new EnumMap<>(Language.class);
    for (Language language : Language.values()) {
      all.put(language, read("messages_" + language.bundle() + ".properties"));
    }
    return all;
  }

  private static Map<String, String> read(String resource) {
    Properties properties = new Properties();
    try (InputStream in = Messages.class.getResourceAsStream(resource)) {
      if (in == null) {
        throw new IllegalStateException("the jar lacks " + resource);
      }
      try (Reader reader = new InputStreamReader(in, StandardCharsets.UTF_8)) {
        properties.load(reader);
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    Map<String, String> texts = new TreeMap<>();
    properties.forEach((key, text) -> texts.put((String) key, (String) text));
    return texts;
  }
}
