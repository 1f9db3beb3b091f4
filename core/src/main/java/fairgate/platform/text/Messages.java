package fairgate.platform.text;

import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/// The texts of the section `messages`. `{0}`, `{1}`, ... stand for arguments; there is no other
/// syntax. `error.<CODE>` is the message of an error body, `invalid.<problem>` of a 400, where
/// `{0}` is the field, `success.<what>` of an answer that went well, `row.<problem>` why a row of
/// an import was refused, `line.*` what the LINE bot says.
public final class Messages {
  private static final Map<Language, Map<String, String>> TEXTS = Texts.of("messages");

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

  /// All keys of a language.
  public static Set<String> keys(Language language) {
    return in(language).keySet();
  }

  private static @Nullable String find(Language language, String key) {
    return in(language).get(key);
  }

  private static Map<String, String> in(Language language) {
    return TEXTS.getOrDefault(language, Map.of());
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
}
