package fairgate.platform.text;

/// A language Fairgate speaks, named by script, for readers of one script understand one another
/// across countries.
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

  /// The suffix of its bundle: `messages_zh_Hant.properties`.
  String bundle() {
    return tag.replace('-', '_');
  }
}
