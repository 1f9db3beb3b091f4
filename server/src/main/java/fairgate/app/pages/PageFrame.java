package fairgate.app.pages;

import fairgate.platform.http.Reply;
import fairgate.platform.json.JsonText;
import fairgate.platform.text.Language;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;

/// What surrounds every visitor page: head, header, footer, the data for the modules, the headers.
final class PageFrame {
  private static final String OF_LINKS = "links.";
  private static final List<String> SERVER_ONLY =
      List.of("nojs.", "nav.", "foot.", "sandbox.", "claim.", "account.");

  private final PageTemplates templates;
  private final PageSettings settings;
  private final String assets;
  private final Map<Language, String> texts = new EnumMap<>(Language.class);
  private final Map<Language, String> linkTexts = new EnumMap<>(Language.class);

  /// A frame for all pages.
  ///
  /// @param assets the path in front of every asset's name
  PageFrame(PageTemplates templates, PageSettings settings, String assets) {
    this.templates = templates;
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

  /// What one page puts into the frame.
  ///
  /// @param stage what the style sheet goes by
  /// @param module the page's module in `web/assets`; empty = none
  /// @param head what else goes into the head
  /// @param data what the module reads besides texts and settings
  record Content(String title, String stage, String module, Html head, Html main, JsonText data) {
    static Content plain(String title, Html main) {
      return new Content(title, "plain", "", Html.NOTHING, main, JsonText.object());
    }
  }

  Reply reply(Visit visit, int status, Content content) {
    Map<Language, String> words = content.stage().equals("links") ? linkTexts : texts;
    JsonText data =
        content
            .data()
            .put("assets", assets)
            .put("currency", settings.currency())
            .putRaw("text", String.valueOf(words.get(visit.language())));
    Html page =
        templates.fill(
            "page",
            visit.words(),
            Map.of(
                "lang", visit.language().tag(),
                "title", content.title(),
                "stage", content.stage(),
                "assets", assets,
                "head", modules(content.module()).and(content.head()),
                "main", content.main(),
                "data", NoScriptPanel.data(data)));
    Reply reply =
        Reply.html(status, page.text())
            .header("content-security-policy", settings.policy())
            .header("content-language", visit.language().tag())
            .header("cache-control", "private, no-cache")
            .header("vary", "cookie, accept-language");
    return visit.languageChosen() ? remember(reply, visit.language()) : reply;
  }

  static Reply remember(Reply reply, Language language) {
    return reply.cookie(PageSettings.LANGUAGE_COOKIE, language.tag(), PageSettings.LANGUAGE_LIFE);
  }

  private Html modules(String module) {
    if (module.isEmpty()) {
      return Html.NOTHING;
    }
    String path = Html.escape(assets + "/" + module);
    return new Html("<script type=\"module\" src=\"" + path + "\"></script>\n");
  }

  /// @param ofLinks whether the page is that of short links, whose texts no other page needs
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
