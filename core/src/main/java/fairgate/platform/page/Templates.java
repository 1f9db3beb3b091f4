package fairgate.platform.page;

import gg.jte.html.HtmlContent;
import gg.jte.html.OwaspHtmlTemplateOutput;
import gg.jte.output.StringOutput;

/// Renders templates. The build generates a class `Jte...Generated` from each, in the package of
/// its pages; it escapes all values.
public final class Templates {
  private Templates() {}

  public static String render(HtmlContent content) {
    StringOutput text = new StringOutput();
    content.writeTo(new OwaspHtmlTemplateOutput(text));
    return text.toString();
  }
}
