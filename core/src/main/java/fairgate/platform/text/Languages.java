package fairgate.platform.text;

import java.util.Locale;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/// Selects a language from `Accept-Language` by script: Taiwan, Hong Kong, Macao and plain `zh` get
/// zh-Hant, mainland China and Singapore zh-Hans. Quality values are respected; among equals the
/// first one is used.
public final class Languages {
  /// The language for callers without a preference, unless the operator sets another.
  public static final Language DEFAULT = Language.ZH_HANT;

  private static final int MAX_LENGTH = 512;
  private static final Pattern QUALITY = Pattern.compile("0(\\.\\d{0,3})?|1(\\.0{0,3})?");

  /// A cache of header values. It stops growing when full, so callers cannot exhaust memory.
  private static final Map<String, Language> CACHE = new ConcurrentHashMap<>();

  private static final int MAX_CACHED = 512;
  private static final int MAX_CACHED_LENGTH = 128;

  private Languages() {}

  /// Selects the language for a header.
  ///
  /// @param fallback for an absent or blank header and for `*`; a header with unsupported languages
  ///   only gets English
  public static Language pick(@Nullable String acceptLanguage, Language fallback) {
    if (acceptLanguage == null) {
      return fallback;
    }
    Language known = CACHE.get(acceptLanguage);
    if (known == null) {
      known = cached(acceptLanguage);
    }
    return known == null ? fallback : known;
  }

  private static @Nullable Language cached(String acceptLanguage) {
    Language language = read(acceptLanguage);
    boolean room = acceptLanguage.length() <= MAX_CACHED_LENGTH && CACHE.size() < MAX_CACHED;
    if (language != null && room) {
      CACHE.put(acceptLanguage, language);
    }
    return language;
  }

  /// The best language of a header; null when it accepts any.
  private static @Nullable Language read(String acceptLanguage) {
    String header = acceptLanguage.substring(0, Math.min(MAX_LENGTH, acceptLanguage.length()));
    Language best = null;
    boolean foreign = false;
    int bestQuality = 0;
    int at = 0;
    while (at <= header.length()) {
      int comma = header.indexOf(',', at);
      int end = comma < 0 ? header.length() : comma;
      String range = header.substring(at, end);
      int semicolon = range.indexOf(';');
      String tag = (semicolon < 0 ? range : range.substring(0, semicolon)).strip();
      Language spoken = of(tag);
      if (spoken == null) {
        foreign |= !tag.isEmpty() && !tag.equals("*");
      } else {
        int quality = semicolon < 0 ? 1000 : quality(range.substring(semicolon + 1));
        if (quality > bestQuality) {
          best = spoken;
          bestQuality = quality;
        }
      }
      at = end + 1;
    }
    return best == null && foreign ? Language.EN : best;
  }

  /// The language of a tag or range such as `zh-TW`; null when unsupported.
  public static @Nullable Language of(String tag) {
    String lower = tag.strip().toLowerCase(Locale.ROOT).replace('_', '-');
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

  /// The quality in thousandths; 0 for an invalid value.
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
