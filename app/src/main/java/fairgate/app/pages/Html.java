package fairgate.app.pages;

/// A text that is HTML already. Other values are escaped when they are inserted into a page.
public record Html(String text) {
  /// No text.
  public static final Html NOTHING = new Html("");

  /// The text as HTML, safe in an element and in a quoted attribute.
  public static Html of(String text) {
    return new Html(escape(text));
  }

  /// Escapes a text.
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

  /// Concatenates two texts.
  public Html and(Html more) {
    return new Html(text + more.text);
  }
}
