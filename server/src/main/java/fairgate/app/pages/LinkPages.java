package fairgate.app.pages;

import fairgate.platform.http.Reply;
import fairgate.platform.http.Request;
import fairgate.platform.http.Route;
import fairgate.platform.json.JsonText;
import io.vertx.core.Future;
import java.time.Clock;
import java.util.List;
import java.util.Map;

/// `/links`: where a visitor makes and manages short links. The page is a form and a list that its
/// module fills through the API; without JavaScript it says that it needs it.
public final class LinkPages {
  private final PageTemplates templates = new PageTemplates();
  private final PageSettings settings;
  private final PageFrame frame;
  private final Clock clock;

  public LinkPages(PageSettings settings, Clock clock) {
    this.settings = settings;
    this.clock = clock;
    this.frame = new PageFrame(templates, settings, new Assets().base());
  }

  public List<Route> routes() {
    return List.of(Route.get("/links", this::show));
  }

  private Future<Reply> show(Request request) {
    Visit visit = Visit.of(request, settings.currency(), clock.instant());
    return Future.succeededFuture(
        frame.reply(
            visit,
            200,
            new PageFrame.Content(
                visit.words().text("links.title"),
                "links",
                "links.js",
                Html.NOTHING,
                templates.fill("links", visit.words(), Map.of()),
                JsonText.object())));
  }
}
