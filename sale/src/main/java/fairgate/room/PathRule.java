package fairgate.room;

/// One path rule: a prefix of whole segments, or a glob when it contains `*` or `?`.
///
/// `/shop` matches `/shop` and `/shop/cart`, not `/shopping`. In a glob, `?` is one character and
/// `*` any number of them within a segment; `**` crosses segments. Rules are compared in the
/// spelling of [PathSpellings]: in lower case, without a slash at the end.
public final class PathRule {
  private final String text;
  private final String pattern;
  private final boolean glob;

  private PathRule(String text) {
    this.text = text;
    this.glob = text.indexOf('*') >= 0 || text.indexOf('?') >= 0;
    this.pattern = PathSpellings.trimmed(PathSpellings.folded(text));
  }

  public static PathRule of(String text) {
    return new PathRule(text);
  }

  /// The text as the operator wrote it.
  public String text() {
    return text;
  }

  /// Whether the path matches.
  ///
  /// @param path in the spelling of [PathSpellings]
  boolean matches(String path) {
    if (glob) {
      return matchesGlob(path);
    }
    return pattern.equals("/")
        || path.equals(pattern)
        || (path.startsWith(pattern) && path.charAt(pattern.length()) == '/');
  }

  /// Reads the pattern once; `reached[i]` tells whether it matches the first `i` characters of the
  /// path. The time is pattern length times path length, whatever the pattern.
  private boolean matchesGlob(String path) {
    boolean[] reached = new boolean[path.length() + 1];
    reached[0] = true;
    for (int at = 0; at < pattern.length(); at++) {
      char c = pattern.charAt(at);
      boolean across = c == '*' && at + 1 < pattern.length() && pattern.charAt(at + 1) == '*';
      if (c == '*') {
        for (int i = 1; i <= path.length(); i++) {
          reached[i] |= reached[i - 1] && (across || path.charAt(i - 1) != '/');
        }
        at += across ? 1 : 0;
      } else {
        for (int i = path.length(); i > 0; i--) {
          char have = path.charAt(i - 1);
          reached[i] = reached[i - 1] && (c == '?' ? have != '/' : have == c);
        }
        reached[0] = false;
      }
    }
    return reached[path.length()];
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof PathRule rule && rule.text.equals(text);
  }

  @Override
  public int hashCode() {
    return text.hashCode();
  }

  @Override
  public String toString() {
    return text;
  }
}
