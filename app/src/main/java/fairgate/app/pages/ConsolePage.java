package fairgate.app.pages;

import static fairgate.platform.http.RouteLimits.PAGE;

import fairgate.catalog.PolicyJson;
import fairgate.catalog.SalePolicy;
import fairgate.kernel.Iso4217;
import fairgate.kernel.Role;
import fairgate.operator.access.AccessFeature;
import fairgate.operator.access.OperatorCredentials;
import fairgate.platform.admin.Operator;
import fairgate.platform.feature.Feature;
import fairgate.platform.http.Reply;
import fairgate.platform.http.Request;
import fairgate.platform.http.Route;
import fairgate.platform.json.JsonText;
import fairgate.platform.page.Assets;
import fairgate.platform.page.Dictionary;
import fairgate.platform.page.PageFrame;
import fairgate.platform.page.PageSettings;
import fairgate.platform.page.Templates;
import fairgate.platform.page.Visit;
import fairgate.platform.text.Language;
import java.time.Clock;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;

/// `/console` and every path below it: one document, whose module `console.js` shows the page of
/// the address. All data comes from the admin API, which the browser calls with the session's
/// cookie.
public final class ConsolePage {
  static final String PATH = "/console";

  /// Beginnings of the keys that the browser needs.
  private static final List<String> BROWSER =
      List.of(
          "console.",
          "unit.",
          "error.network",
          "operator.role.",
          "checkin.title",
          "checkin.code",
          "order.price",
          "order.rest");

  private final OperatorCredentials credentials;
  private final PageSettings settings;
  private final Clock clock;
  private final String assets = new Assets().base();
  private final String exponents = exponents();
  private final String presets = presets();
  private final String sections;
  private final Map<Language, String> texts = new EnumMap<>(Language.class);

  /// @param sections those of features that have an entry
  public ConsolePage(
      AccessFeature access,
      List<Feature.ConsoleSection> sections,
      PageSettings settings,
      Clock clock) {
    this.sections = sections(sections);
    this.credentials = access.credentials();
    this.settings = settings;
    this.clock = clock;
    for (Language language : Language.values()) {
      texts.put(language, browserTexts(Dictionary.console(language)));
    }
  }

  public List<Route> routes() {
    return List.of(
        Route.blockingGet(PATH, this::show).limits(PAGE),
        Route.blockingGet(PATH + "/{page*}", this::show).limits(PAGE));
  }

  private Reply show(Request request) {
    return credentials
        .bySession(request)
        .map(
            operator ->
                operator.role() == Role.CHECKIN
                    ? Reply.redirect(303, CheckInPage.PATH)
                    : show(request, operator))
        .orElseGet(() -> OperatorPages.signInFor(request));
  }

  private Reply show(Request request, Operator operator) {
    Visit visit = Visit.of(request, settings, clock.instant()).ofConsole();
    String role = visit.wording().text("operator.role." + operator.role().word());
    JsonText data =
        JsonText.object()
            .put("assets", assets)
            .put("currency", settings.currency())
            .putRaw("exponents", exponents)
            .putRaw("presets", presets)
            .putRaw("sections", sections)
            .put(
                "me",
                JsonText.object().put("name", operator.name()).put("role", operator.role().word()))
            .putRaw("text", String.valueOf(texts.get(visit.language())));
    // "<" is escaped because the data is in a script element.
    String json = data.toString().replace("<", "\\u003c");
    String page =
        Templates.render(
            out ->
                JteconsoleGenerated.render(
                    out,
                    null,
                    visit.wording(),
                    assets,
                    PageFrame.here(request),
                    operator.name() + " · " + role,
                    json));
    Reply reply =
        Reply.html(200, page)
            .header("content-security-policy", settings.policy())
            .header("content-language", visit.language().tag())
            .header("cache-control", "no-store");
    return visit.languageChosen() ? PageFrame.remember(reply, visit.language()) : reply;
  }

  /// The decimals of all currencies: an operator types a price with its currency.
  private static String exponents() {
    JsonText json = JsonText.object();
    Iso4217.exponents().forEach((code, exponent) -> json.put(code, exponent.longValue()));
    return json.toString();
  }

  /// The values of a new sale by its kind: what an empty field means.
  private static String presets() {
    JsonText json = JsonText.object();
    for (SalePolicy.Preset preset : SalePolicy.Preset.values()) {
      json.putRaw(preset.word(), PolicyJson.write(preset.policy()));
    }
    return json.toString();
  }

  private static String sections(List<Feature.ConsoleSection> sections) {
    JsonText json = JsonText.array();
    for (Feature.ConsoleSection section : sections) {
      json.add(
          JsonText.object()
              .put("name", section.name())
              .put("key", section.key())
              .putAny("roles", section.roles().stream().map(Role::word).toList()));
    }
    return json.toString();
  }

  /// Whether scripts of the console have the text.
  static boolean isForBrowser(String key) {
    return BROWSER.stream().anyMatch(key::startsWith);
  }

  private static String browserTexts(Dictionary words) {
    JsonText json = JsonText.object();
    for (String key : words.keys()) {
      if (isForBrowser(key)) {
        json.put(key, words.text(key));
      }
    }
    return json.toString();
  }
}
