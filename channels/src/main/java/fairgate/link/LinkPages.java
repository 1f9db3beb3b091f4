package fairgate.link;

import static fairgate.platform.http.RouteLimits.PAGE;

import fairgate.account.Account;
import fairgate.account.AccountService;
import fairgate.link.LinkSettings.Guests;
import fairgate.platform.http.Reply;
import fairgate.platform.http.Request;
import fairgate.platform.http.Route;
import fairgate.platform.json.JsonText;
import fairgate.platform.page.Assets;
import fairgate.platform.page.PageFrame;
import fairgate.platform.page.PageSettings;
import fairgate.platform.page.Visit;
import fairgate.platform.text.Language;
import fairgate.platform.text.Messages;
import io.vertx.core.Future;
import java.time.Clock;
import java.util.List;
import java.util.Optional;

/// `/links`: where a visitor makes and manages short links, those of the account or of the browser.
/// The page is a form and a list that its module fills through the API; without JavaScript it says
/// that it needs it.
final class LinkPages {
  /// What the browser itself finds wrong with an address, in the words of the API.
  private static final List<String> PROBLEMS =
      List.of("url_bad_character", "url_not_http", "url_bad_host");

  private final PageSettings settings;
  private final PageFrame frame;
  private final AccountService accounts;
  private final Guests guests;
  private final Clock clock;

  /// @param guests whether visitors without an account may make links
  LinkPages(AccountService accounts, Guests guests, PageSettings settings, Clock clock) {
    this.accounts = accounts;
    this.guests = guests;
    this.settings = settings;
    this.clock = clock;
    this.frame = new PageFrame(settings, new Assets().base());
  }

  List<Route> routes() {
    return List.of(Route.get("/links", this::show).limits(PAGE));
  }

  /// Guests see the links of their browser.
  private Future<Reply> show(Request request) {
    Visit visit = Visit.of(request, settings, clock.instant());
    return accounts
        .signedIn(request)
        .compose(
            who ->
                who.map(known -> accounts.find(known.account()))
                    .orElseGet(() -> Future.succeededFuture(Optional.empty())))
        .map(account -> page(request, visit, account.map(Account::username).orElse("")));
  }

  /// @param username empty = a guest
  private Reply page(Request request, Visit visit, String username) {
    boolean usable = guests != Guests.OFF || !username.isEmpty();
    return frame.reply(
        visit,
        200,
        PageFrame.Content.of(
            visit.words().text("links.title"),
            "links",
            usable ? "links.js" : "",
            out -> JtelinksGenerated.render(out, null, visit.wording(), username, usable),
            JsonText.object()
                .put("challenge", username.isEmpty() && guests.asks(request))
                .put("problems", problems(visit.language()))));
  }

  private static JsonText problems(Language language) {
    JsonText texts = JsonText.object();
    PROBLEMS.forEach(key -> texts.put(key, Messages.text(language, "invalid." + key, "url")));
    return texts;
  }
}
