package fairgate.link;

import fairgate.link.cache.LinkEntry;
import fairgate.platform.http.Reply;
import fairgate.platform.http.Request;
import fairgate.platform.text.Language;
import fairgate.platform.text.Messages;

/// `GET /{code}+`: shows the target of a link without following it. The address is in ASCII, so
/// that a homograph is recognizable.
final class PreviewPage {
  /// The query parameter of a link that was opened from the preview.
  static final String FOLLOW = "follow";

  private PreviewPage() {}

  /// @param open whether the link may be followed now
  static Reply of(LinkEntry link, boolean open, String base, Request request) {
    Language language = request.language();
    String page =
        """
        <!doctype html>
        <html lang="%s">
        <head>
        <meta charset="utf-8">
        <meta name="viewport" content="width=device-width, initial-scale=1">
        <meta name="color-scheme" content="light dark">
        <meta name="robots" content="noindex">
        <title>%s</title>
        <link rel="stylesheet" href="/assets/style.css">
        <link rel="icon" href="/assets/icon.svg" type="image/svg+xml">
        </head>
        <body data-stage="plain">
        %s
        </body>
        </html>
        """
            .formatted(
                language.tag(), text(language, "title"), main(link, open, base, language).strip());
    return Reply.html(200, page)
        .header("x-robots-tag", "noindex")
        .header("cache-control", "no-store");
  }

  private static String main(LinkEntry link, boolean open, String base, Language language) {
    String shown = escape(base + "/" + link.code());
    return """
    <main id="main" class="link-preview">
    <h1>%s</h1>
    <p>%s</p>
    <dl>
    <dt>%s</dt><dd><strong>%s</strong></dd>
    <dt>%s</dt><dd class="address">%s</dd>
    </dl>
    <p>%s</p>
    <img class="qr" src="/%s.svg" alt="QR %s" width="160" height="160">
    </main>
    """
        .formatted(
            text(language, "title"),
            shown,
            text(language, "host"),
            escape(link.host()),
            text(language, "address"),
            escape(link.url()),
            open ? follow(link, language) : text(language, "closed"),
            link.code(),
            shown);
  }

  private static String follow(LinkEntry link, Language language) {
    return "<a class=\"button\" rel=\"nofollow noreferrer\" href=\"/%s?%s\">%s</a>"
        .formatted(link.code(), FOLLOW, text(language, "follow"));
  }

  private static String text(Language language, String key) {
    return escape(Messages.text(language, "link.preview." + key));
  }

  private static String escape(String text) {
    return text.replace("&", "&amp;")
        .replace("<", "&lt;")
        .replace(">", "&gt;")
        .replace("\"", "&quot;")
        .replace("'", "&#39;");
  }
}
