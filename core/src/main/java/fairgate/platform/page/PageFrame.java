package fairgate.platform.page;

import fairgate.platform.http.Method;
import fairgate.platform.http.Reply;
import fairgate.platform.http.Request;
import fairgate.platform.json.JsonText;
import fairgate.platform.text.Language;
import fairgate.platform.text.Texts;
import gg.jte.html.HtmlContent;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/// The frame of every visitor page: head, header, footer, data for the modules, and response
/// headers.
///
/// @param assets path prefix of every asset
public record PageFrame(PageSettings settings, String assets) {
  private static final String SUFFIX = " \u00b7 " + Brand.FAIRGATE.name();

  /// Texts that only the pages of one stage need: `prove.` those of the stage `prove`.
  private static final List<String> OF_STAGES =
      Stream.concat(Stream.of("prove."), Texts.ofFeatures().stream()).toList();

  /// Texts of pages without scripts, besides those of features: `room.nojs.`.
  private static final List<String> SERVER_ONLY =
      List.of(
          "nojs.",
          "nav.",
          "foot.",
          "sandbox.",
          "claim.",
          "deposit.back",
          "deposit.draw",
          "deposit.pending",
          "account.",
          "appeal.",
          "operator.",
          "receipt.",
          "ticket.",
          "checkout.",
          "about.",
          "rules.",
          "details.",
          "gate.");

  /// For the scripts of a page, by language and stage.
  private static final Map<Language, Map<String, String>> TEXTS = browserTexts();

  private static Map<Language, Map<String, String>> browserTexts() {
    Map<Language, Map<String, String>> texts = new EnumMap<>(Language.class);
    for (Language language : Language.values()) {
      Map<String, String> byStage = new HashMap<>();
      byStage.put("", browserTexts(Dictionary.of(language), ""));
      for (String prefix : OF_STAGES) {
        byStage.put(prefix, browserTexts(Dictionary.of(language), prefix));
      }
      texts.put(language, byStage);
    }
    return texts;
  }

  /// Whether the page of a sale counts how it is used before the join.
  public boolean collectsBehavior() {
    return settings.behavior();
  }

  /// What other sites show of a link to the page.
  ///
  /// @param title empty shows nothing
  /// @param image https; empty for none
  public record Share(String title, String description, String image) {
    public static final Share NONE = new Share("", "", "");
  }

  /// The content of a page within the frame.
  ///
  /// @param stage state for the style sheet
  /// @param module the page's module, see `Assets`; empty for none
  /// @param sheet a further style sheet, see `Assets`; empty for none
  /// @param refresh seconds and address of the refresh without JavaScript, such as `10;url=/p/1`;
  ///   empty for none
  /// @param data data for the module besides texts and settings
  /// @param share what other sites show of a link to the page
  public record Content(
      String title,
      String stage,
      String module,
      String sheet,
      String refresh,
      HtmlContent main,
      JsonText data,
      Share share) {
    public static Content of(
        String title, String stage, String module, HtmlContent main, JsonText data) {
      return new Content(title, stage, module, "", "", main, data, Share.NONE);
    }

    public static Content plain(String title, HtmlContent main) {
      return of(title, "plain", "", main, JsonText.object());
    }

    public Content withSheet(String name) {
      return new Content(title, stage, module, name, refresh, main, data, share);
    }

    public Content withRefresh(String value) {
      return new Content(title, stage, module, sheet, value, main, data, share);
    }

    public Content withShare(Share value) {
      return new Content(title, stage, module, sheet, refresh, main, data, value);
    }
  }

  public Reply reply(Visit visit, int status, Content content) {
    JsonText data = content.data().put("assets", assets);
    if (!content.module().isEmpty()) {
      Map<String, String> words = TEXTS.getOrDefault(visit.language(), Map.of());
      String prefix = content.stage() + ".";
      if (settings.fingerprint()) {
        data.put("fingerprint", true);
      }
      data.put("contact", settings.contact())
          .putRaw("text", String.valueOf(words.getOrDefault(prefix, words.get(""))));
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
                    settings.brand(),
                    titled(content.title()),
                    settings.contact(),
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

  /// The title, with the shop's name for Fairgate's.
  private String titled(String title) {
    return title.endsWith(SUFFIX)
        ? title.substring(0, title.length() - Brand.FAIRGATE.name().length())
            + settings.brand().name()
        : title;
  }

  public static Reply remember(Reply reply, Language language) {
    return reply.cookie(PageSettings.LANGUAGE_COOKIE, language.tag(), PageSettings.LANGUAGE_LIFE);
  }

  /// The page's URL up to the parameter `lang`, for the language links; other parameters are kept.
  /// A response to a form has the URL of the page with the form, because the form's own URL has no
  /// GET.
  public static String here(Request request) {
    String target = request.target();
    int mark = target.indexOf('?');
    StringBuilder link = new StringBuilder();
    if (request.method() == Method.POST) {
      String path = request.path();
      boolean act =
          path.startsWith("/p/")
              || path.startsWith("/o/")
              || path.startsWith("/account/")
              || path.endsWith("/receipt");
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

  /// @param own prefix of the texts that only this stage needs; empty for none
  private static String browserTexts(Dictionary words, String own) {
    JsonText json = JsonText.object();
    for (String key : words.keys()) {
      boolean wanted =
          OF_STAGES.stream().noneMatch(prefix -> key.startsWith(prefix) && !prefix.equals(own));
      if (wanted && !key.contains(".nojs.") && SERVER_ONLY.stream().noneMatch(key::startsWith)) {
        json.put(key, words.text(key));
      }
    }
    return json.toString();
  }
}
