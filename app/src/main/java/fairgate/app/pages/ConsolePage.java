package fairgate.app.pages;

import fairgate.platform.http.Reply;
import fairgate.platform.http.Request;
import fairgate.platform.http.Route;
import fairgate.platform.json.JsonText;
import io.vertx.core.Future;
import java.time.Clock;
import java.util.List;

/// `/console`: lists bans and lifts them. The page has no secrets: its module calls the admin API
/// with the operator's token, which stays in the browser tab.
public final class ConsolePage {
  private final PageSettings settings;
  private final PageFrame frame;
  private final Clock clock;

  public ConsolePage(PageSettings settings, Clock clock) {
    this.settings = settings;
    this.clock = clock;
    this.frame = new PageFrame(settings, new Assets().base());
  }

  public List<Route> routes() {
    return List.of(Route.get("/console", this::show));
  }

  private Future<Reply> show(Request request) {
    Visit visit = Visit.of(request, settings.currency(), clock.instant());
    return Future.succeededFuture(
        frame.reply(
            visit,
            200,
            PageFrame.Content.of(
                visit.words().text("console.title"),
                "console",
                "console.js",
                out -> JteconsoleGenerated.render(out, null, visit.wording()),
                JsonText.object())));
  }
}
