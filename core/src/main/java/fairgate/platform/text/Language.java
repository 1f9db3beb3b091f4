package fairgate.platform.text;

import java.util.Locale;

/// A supported language, identified by script, because readers of one script can read it in every
/// country.
public enum Language {
  ZH_HANT("zh-Hant"),
  ZH_HANS("zh-Hans"),
  EN("en");

  private final String tag;

  Language(String tag) {
    this.tag = tag;
  }

  /// The BCP 47 tag, as in `lang="zh-Hant"` and `Content-Language`.
  public String tag() {
    return tag;
  }

  /// The locale for numbers, amounts and dates.
  public Locale locale() {
    return switch (this) {
      case ZH_HANT -> Locale.TAIWAN;
      case ZH_HANS -> Locale.SIMPLIFIED_CHINESE;
      case EN -> Locale.ENGLISH;
    };
  }
}
