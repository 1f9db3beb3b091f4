package fairgate.app.pages;

import gg.jte.html.HtmlContent;
import gg.jte.html.OwaspHtmlTemplateOutput;
import gg.jte.output.StringOutput;

/// Renders the templates `web/*.jte`. The build generates a class `Jte...Generated` in this package
/// from each, and from `web/docs/*.jte` in the package `docs`; it escapes all values.
public final class Templates {
  private Templates() {}

  /// The page, or the part of one, as text.
  public static String render(HtmlContent content) {
    StringOutput text = new StringOutput();
    content.writeTo(new OwaspHtmlTemplateOutput(text));
    return text.toString();
  }
}
