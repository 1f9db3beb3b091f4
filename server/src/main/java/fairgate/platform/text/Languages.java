package fairgate.platform.text;

import java.util.Locale;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/// Chooses a language from `Accept-Language` by script: Taiwan, Hong Kong, Macao and bare `zh` read
/// zh-Hant, the mainland and Singapore zh-Hans. Quality values count; among equals the first wins.
public final class Languages {
  /// Where nothing else is asked for.
  public static final Language DEFAULT = Language.ZH_HANT;

  private static final int LONGEST = 512;
  private static final Pattern QUALITY = Pattern.compile("0(\\.\\d{0,3})?|1(\\.0{0,3})?");

  /// What common headers mean. It stops learning when full, so that strangers cannot grow it.
  private static final Map<String, Language> KNOWN = new ConcurrentHashMap<>();

  private static final int MOST_KNOWN = 512;
  private static final int LONGEST_KNOWN = 128;

  private Languages() {}

  /// The language for a header; [#DEFAULT] when it is absent, or names none that is spoken here.
  public static Language pick(@Nullable String acceptLanguage) {
    if (acceptLanguage == null) {
      return DEFAULT;
    }
    Language known = KNOWN.get(acceptLanguage);
    return known == null ? learn(acceptLanguage) : known;
  }

  private static Language learn(String acceptLanguage) {
    Language language = read(acceptLanguage);
    if (acceptLanguage.length() <= LONGEST_KNOWN && KNOWN.size() < MOST_KNOWN) {
      KNOWN.put(acceptLanguage, language);
    }
    return language;
  }

  private static Language read(String acceptLanguage) {
    String header = acceptLanguage.substring(0, Math.min(LONGEST, acceptLanguage.length()));
    Language best = DEFAULT;
    int bestQuality = 0;
    int at = 0;
    while (at <= header.length()) {
      int comma = header.indexOf(',', at);
      int end = comma < 0 ? header.length() : comma;
      String range = header.substring(at, end);
      int semicolon = range.indexOf(';');
      Language spoken = of(semicolon < 0 ? range : range.substring(0, semicolon));
      if (spoken != null) {
        int quality = semicolon < 0 ? 1000 : quality(range.substring(semicolon + 1));
        if (quality > bestQuality) {
          best = spoken;
          bestQuality = quality;
        }
      }
      at = end + 1;
    }
    return best;
  }

  /// The language of one tag or range such as `zh-TW`, or null when it is not spoken here.
  public static @Nullable Language of(String tag) {
    String lower = tag.strip().toLowerCase(Locale.ROOT).replace('_', '-');
    if (lower.equals("*")) {
      return DEFAULT;
    }
    if (lower.equals("en") || lower.startsWith("en-")) {
      return Language.EN;
    }
    if (!lower.equals("zh") && !lower.startsWith("zh-")) {
      return null;
    }
    return chinese(lower.split("-", -1));
  }

  private static Language chinese(String[] parts) {
    for (int i = 1; i < parts.length; i++) {
      switch (parts[i]) {
        case "hans", "cn", "sg", "my" -> {
          return Language.ZH_HANS;
        }
        case "hant", "tw", "hk", "mo" -> {
          return Language.ZH_HANT;
        }
        default -> {}
      }
    }
    return Language.ZH_HANT;
  }

  /// Thousandths; 0 for what is not a quality value.
  private static int quality(String parameter) {
    String text = parameter.strip();
    if (!text.startsWith("q=") && !text.startsWith("Q=")) {
      return 1000;
    }
    String value = text.substring(2).strip();
    if (!QUALITY.matcher(value).matches()) {
      return 0;
    }
    return (int) Math.round(Double.parseDouble(value) * 1000);
  }
}
