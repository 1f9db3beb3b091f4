package fairgate.app.pages;

import fairgate.account.Account;
import fairgate.account.AccountService;
import fairgate.platform.http.Reply;
import fairgate.platform.http.Request;
import fairgate.platform.http.Route;
import fairgate.platform.json.JsonText;
import io.vertx.core.Future;
import java.time.Clock;
import java.util.List;
import java.util.Optional;

/// `/links`: where a visitor makes and manages short links, those of the account or of the browser.
/// The page is a form and a list that its module fills through the API; without JavaScript it says
/// that it needs it.
public final class LinkPages {
  private final PageSettings settings;
  private final PageFrame frame;
  private final AccountService accounts;
  private final Clock clock;

  public LinkPages(AccountService accounts, PageSettings settings, Clock clock) {
    this.accounts = accounts;
    this.settings = settings;
    this.clock = clock;
    this.frame = new PageFrame(settings, new Assets().base());
  }

  public List<Route> routes() {
    return List.of(Route.get("/links", this::show));
  }

  /// Guests see the links of their browser.
  private Future<Reply> show(Request request) {
    Visit visit = Visit.of(request, settings.currency(), clock.instant());
    return accounts
        .signedIn(request)
        .compose(
            who ->
                who.map(known -> accounts.find(known.account()))
                    .orElseGet(() -> Future.succeededFuture(Optional.empty())))
        .map(account -> page(visit, account.map(Account::username).orElse("")));
  }

  /// @param username empty = a guest
  private Reply page(Visit visit, String username) {
    return frame.reply(
        visit,
        200,
        PageFrame.Content.of(
            visit.words().text("links.title"),
            "links",
            "links.js",
            out -> JtelinksGenerated.render(out, null, visit.wording(), username),
            JsonText.object().put("guest", username.isEmpty())));
  }
}
