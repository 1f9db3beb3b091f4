package fairgate.app.pages;

import fairgate.operator.access.AccessFeature;
import fairgate.operator.access.Operator;
import fairgate.operator.access.OperatorCredentials;
import fairgate.platform.http.Reply;
import fairgate.platform.http.Request;
import fairgate.platform.http.Route;
import fairgate.platform.json.JsonText;
import java.time.Clock;
import java.util.List;

/// `/console`: lists bans and lifts them, and the operator's own sessions. Its module calls the
/// admin API with the session's cookie.
public final class ConsolePage {
  static final String PATH = "/console";

  private final OperatorCredentials credentials;
  private final PageSettings settings;
  private final PageFrame frame;
  private final Clock clock;

  public ConsolePage(AccessFeature access, PageSettings settings, Clock clock) {
    this.credentials = access.credentials();
    this.settings = settings;
    this.clock = clock;
    this.frame = new PageFrame(settings, new Assets().base());
  }

  public List<Route> routes() {
    return List.of(Route.blockingGet(PATH, this::show));
  }

  private Reply show(Request request) {
    return credentials
        .bySession(request)
        .map(operator -> show(request, operator))
        .orElseGet(() -> Reply.redirect(303, OperatorPages.SIGN_IN));
  }

  private Reply show(Request request, Operator operator) {
    Visit visit = Visit.of(request, settings.currency(), clock.instant());
    String role = visit.wording().text("operator.role." + operator.role().word());
    return frame
        .reply(
            visit,
            200,
            PageFrame.Content.of(
                visit.words().text("console.title"),
                "console",
                "console.js",
                out ->
                    JteconsoleGenerated.render(
                        out, null, visit.wording(), operator.name() + " · " + role),
                JsonText.object()))
        .header("cache-control", "no-store");
  }
}
