package fairgate.link;

import fairgate.link.cache.LinkEntry;
import fairgate.platform.http.Reply;
import fairgate.platform.http.Request;
import fairgate.platform.page.Dictionary;
import fairgate.platform.text.Language;
import fairgate.platform.text.Languages;
import gg.jte.html.OwaspHtmlTemplateOutput;
import gg.jte.output.StringOutput;
import java.util.Objects;
import java.util.stream.Stream;

/// `GET /{code}+`: shows the target of a link without following it. The address is in ASCII, so
/// that a homograph is recognizable.
final class PreviewPage {
  private PreviewPage() {}

  /// @param open whether the link may be followed now
  static Reply of(LinkEntry link, boolean open, String base, Request request) {
    Texts texts = new Texts(language(request));
    StringOutput page = new StringOutput();
    JtepreviewGenerated.render(
        new OwaspHtmlTemplateOutput(page), null, link, open, base + "/" + link.code(), texts);
    return Reply.html(200, page.toString())
        .header("x-robots-tag", "noindex")
        .header("cache-control", "no-store");
  }

  /// As on the other pages: from `?lang=`, otherwise from the cookie of an earlier choice,
  /// otherwise from the browser.
  private static Language language(Request request) {
    return Stream.of(request.query("lang"), request.cookie("fairgate_lang"))
        .filter(Objects::nonNull)
        .map(Languages::of)
        .filter(Objects::nonNull)
        .findFirst()
        .orElseGet(request::language);
  }

  record Texts(Language language) {
    String of(String key) {
      return Dictionary.of(language).text("links.preview." + key);
    }
  }
}
