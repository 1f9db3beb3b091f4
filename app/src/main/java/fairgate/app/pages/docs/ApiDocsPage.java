package fairgate.app.pages.docs;

import fairgate.app.pages.Templates;
import fairgate.platform.http.Reply;
import fairgate.platform.http.Route;
import io.vertx.core.Future;
import java.util.List;

/// `/openapi.yaml`, and its HTML form at `/docs`. Both are rendered once and kept.
public final class ApiDocsPage {
  private static final String YAML = "application/yaml";

  private final Reply yaml;
  private final Reply page;

  public ApiDocsPage() {
    ApiDescription description = ApiDescription.load();
    yaml =
        Reply.bytes(200, YAML, description.source())
            .header("cache-control", "no-cache")
            .header("content-disposition", "inline; filename=\"openapi.yaml\"")
            .compressible();
    page = Reply.html(200, html(description)).compressible();
  }

  static String html(ApiDescription description) {
    ApiSchemaHtml schemas = new ApiSchemaHtml(description);
    return Templates.render(out -> JteapiDocsGenerated.render(out, null, description, schemas));
  }

  public List<Route> routes() {
    Future<Reply> file = Future.succeededFuture(yaml);
    Future<Reply> reading = Future.succeededFuture(page);
    return List.of(Route.get("/openapi.yaml", _ -> file), Route.get("/docs", _ -> reading));
  }
}
