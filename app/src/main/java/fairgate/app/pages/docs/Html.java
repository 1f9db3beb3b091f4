package fairgate.app.pages.docs;

import gg.jte.html.escape.Escape;
import gg.jte.output.StringOutput;

/// Escapes texts for HTML.
final class Html {
  private Html() {}

  /// The text as the content of an element.
  static String escape(String text) {
    StringOutput escaped = new StringOutput();
    Escape.htmlContent(text, escaped);
    return escaped.toString();
  }
}
