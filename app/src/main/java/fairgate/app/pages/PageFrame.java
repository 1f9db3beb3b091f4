package fairgate.app.pages;

import fairgate.platform.http.Method;
import fairgate.platform.http.Reply;
import fairgate.platform.http.Request;
import fairgate.platform.json.JsonText;
import fairgate.platform.text.Language;
import gg.jte.html.HtmlContent;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;

/// The frame of every visitor page: head, header, footer, data for the modules, and response
/// headers.
final class PageFrame {
  private static final String OF_LINKS = "links.";
  private static final List<String> SERVER_ONLY =
      List.of(
          "nojs.",
          "nav.",
          "foot.",
          "sandbox.",
          "claim.",
          "account.",
          "appeal.",
          "operator.",
          "receipt.",
          "verify.");

  private final PageSettings settings;
  private final String assets;
  private final Map<Language, String> texts = new EnumMap<>(Language.class);
  private final Map<Language, String> linkTexts = new EnumMap<>(Language.class);

  /// Creates the frame of all pages.
  ///
  /// @param assets path prefix of every asset
  PageFrame(PageSettings settings, String assets) {
    this.settings = settings;
    this.assets = assets;
    for (Language language : Language.values()) {
      texts.put(language, browserTexts(Dictionary.of(language), false));
      linkTexts.put(language, browserTexts(Dictionary.of(language), true));
    }
  }

  String assets() {
    return assets;
  }

  /// The content of a page within the frame.
  ///
  /// @param stage state for the style sheet
  /// @param module the page's module in `web/assets`; empty for none
  /// @param sheet a further style sheet in `web/assets`; empty for none
  /// @param refresh seconds and address of the refresh without JavaScript, such as `10;url=/p/1`;
  ///   empty for none
  /// @param data data for the module besides texts and settings
  record Content(
      String title,
      String stage,
      String module,
      String sheet,
      String refresh,
      HtmlContent main,
      JsonText data) {
    static Content of(String title, String stage, String module, HtmlContent main, JsonText data) {
      return new Content(title, stage, module, "", "", main, data);
    }

    static Content plain(String title, HtmlContent main) {
      return of(title, "plain", "", main, JsonText.object());
    }

    Content withSheet(String name) {
      return new Content(title, stage, module, name, refresh, main, data);
    }

    Content withRefresh(String value) {
      return new Content(title, stage, module, sheet, value, main, data);
    }
  }

  Reply reply(Visit visit, int status, Content content) {
    JsonText data = content.data().put("assets", assets).put("currency", settings.currency());
    if (!content.module().isEmpty()) {
      Map<Language, String> words = content.stage().equals("links") ? linkTexts : texts;
      if (settings.fingerprint()) {
        data.put("fingerprint", true);
      }
      data.put("contact", settings.contact())
          .putRaw("text", String.valueOf(words.get(visit.language())));
    }
    // "<" is escaped because the data is in a script element.
    String json = data.toString().replace("<", "\\u003c");
    String page =
        Templates.render(
            out ->
                JtepageGenerated.render(
                    out,
                    null,
                    visit.wording(),
                    content,
                    assets,
                    here(visit.request()),
                    account(visit.request()),
                    json));
    Reply reply =
        Reply.html(status, page)
            .header("content-security-policy", settings.policy())
            .header("content-language", visit.language().tag())
            .header("cache-control", "private, no-cache")
            .header("vary", "cookie, accept-language");
    return visit.languageChosen() ? remember(reply, visit.language()) : reply;
  }

  static Reply remember(Reply reply, Language language) {
    return reply.cookie(PageSettings.LANGUAGE_COOKIE, language.tag(), PageSettings.LANGUAGE_LIFE);
  }

  /// The page's URL up to the parameter `lang`, for the language links; other parameters are kept.
  /// A response to a form has the URL of the page with the form, because the form's own URL has no
  /// GET.
  private static String here(Request request) {
    String target = request.target();
    int mark = target.indexOf('?');
    StringBuilder link = new StringBuilder();
    if (request.method() == Method.POST) {
      String path = request.path();
      boolean act =
          path.startsWith("/p/") || path.startsWith("/o/") || path.startsWith("/account/");
      link.append(act ? path.substring(0, path.lastIndexOf('/')) : path);
    }
    link.append('?');
    if (mark >= 0) {
      for (String pair : target.substring(mark + 1).split("&", -1)) {
        if (!pair.isEmpty() && !pair.equals("lang") && !pair.startsWith("lang=")) {
          link.append(pair).append('&');
        }
      }
    }
    return link.toString();
  }

  /// The address of the account's page. From a sale it contains the way back.
  private static String account(Request request) {
    return request.path().startsWith("/p/") && request.method() == Method.GET
        ? "/account?next=" + URLEncoder.encode(request.path(), StandardCharsets.UTF_8)
        : "/account";
  }

  /// @param ofLinks whether it is the page of short links, whose texts no other page needs
  private static String browserTexts(Dictionary words, boolean ofLinks) {
    JsonText json = JsonText.object();
    for (String key : words.keys()) {
      boolean wanted = ofLinks || !key.startsWith(OF_LINKS);
      if (wanted && SERVER_ONLY.stream().noneMatch(key::startsWith)) {
        json.put(key, words.text(key));
      }
    }
    return json.toString();
  }
}
