package fairgate.app.pages;

import gg.jte.TemplateOutput;
import gg.jte.html.HtmlContent;
import gg.jte.html.HtmlInterceptor;
import gg.jte.html.OwaspHtmlTemplateOutput;
import gg.jte.output.StringOutput;
import java.util.Map;

/// Renders the templates `web/*.jte`. The build generates a class `Jte...Generated` in this package
/// from each, and from `web/docs/*.jte` in the package `docs`; it escapes all values.
public final class Templates {
  /// Nothing intercepts the rendering.
  public static final HtmlInterceptor NONE =
      new HtmlInterceptor() {
        @Override
        public void onHtmlTagOpened(
            String name, Map<String, Object> attributes, TemplateOutput output) {}

        @Override
        public void onHtmlTagClosed(String name, TemplateOutput output) {}
      };

  private Templates() {}

  /// The page, or the part of one, as text.
  public static String render(HtmlContent content) {
    StringOutput text = new StringOutput();
    content.writeTo(new OwaspHtmlTemplateOutput(text));
    return text.toString();
  }
}
