package fairgate.app.pages.docs;

import static fairgate.platform.http.RouteLimits.PAGE;

import fairgate.platform.http.Reply;
import fairgate.platform.http.Route;
import fairgate.platform.page.Templates;
import java.util.List;

/// `/openapi.yaml`, and its HTML form at `/docs`. The first request renders them: a start has no
/// time for it.
public final class ApiDocsPage {
  private static final String YAML = "application/yaml";

  private static final class Rendered {
    static final ApiDescription DESCRIPTION = ApiDescription.load();
    static final Reply FILE =
        Reply.bytes(200, YAML, DESCRIPTION.yaml())
            .header("cache-control", "no-cache")
            .header("content-disposition", "inline; filename=\"openapi.yaml\"")
            .compressible();
    static final Reply PAGE = Reply.html(200, html(DESCRIPTION)).compressible();
  }

  static String html(ApiDescription description) {
    ApiSchemaHtml schemas = new ApiSchemaHtml(description);
    return Templates.render(out -> JteapiDocsGenerated.render(out, null, description, schemas));
  }

  public List<Route> routes() {
    return List.of(
        Route.blockingGet("/openapi.yaml", _ -> Rendered.FILE).limits(PAGE),
        Route.blockingGet("/docs", _ -> Rendered.PAGE).limits(PAGE));
  }
}
