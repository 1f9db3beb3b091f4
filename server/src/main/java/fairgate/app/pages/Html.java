package fairgate.app.pages;

/// Text that is HTML already. Everything else is escaped on its way into a page.
public record Html(String text) {
  /// No text.
  public static final Html NOTHING = new Html("");

  /// The text as HTML, safe in an element and in a quoted attribute.
  public static Html of(String text) {
    return new Html(escape(text));
  }

  /// The text itself, escaped.
  public static String escape(String text) {
    StringBuilder escaped = new StringBuilder(text.length() + 16);
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      switch (c) {
        case '&' -> escaped.append("&amp;");
        case '<' -> escaped.append("&lt;");
        case '>' -> escaped.append("&gt;");
        case '"' -> escaped.append("&quot;");
        case '\'' -> escaped.append("&#39;");
        default -> escaped.append(c);
      }
    }
    return escaped.toString();
  }

  /// One after the other.
  public Html and(Html more) {
    return new Html(text + more.text);
  }
}
