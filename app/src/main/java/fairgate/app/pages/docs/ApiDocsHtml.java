package fairgate.app.pages.docs;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.util.DefaultPrettyPrinter;
import com.fasterxml.jackson.core.util.Separators;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectWriter;
import com.fasterxml.jackson.databind.json.JsonMapper;
import fairgate.app.pages.Html;
import fairgate.app.pages.docs.ApiDescription.Named;
import fairgate.app.pages.docs.ApiDescription.Operation;
import fairgate.kernel.ErrorCode;
import fairgate.platform.http.StatusOf;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/// Renders the API description as one page without scripts.
final class ApiDocsHtml {
  private static final ObjectWriter JSON =
      new JsonMapper()
          .writer(
              new DefaultPrettyPrinter(
                  Separators.createDefaultInstance()
                      .withObjectFieldValueSpacing(Separators.Spacing.AFTER)));

  private final ApiDescription description;
  private final ApiSchemaHtml schemas;
  private final StringBuilder html = new StringBuilder(128 * 1024);

  ApiDocsHtml(ApiDescription description) {
    this.description = description;
    this.schemas = new ApiSchemaHtml(description);
  }

  /// The page.
  String page() {
    html.setLength(0);
    JsonNode info = description.info();
    String title = Html.escape(info.path("title").asText()) + " API";
    html.append(
        """
        <!doctype html>
        <html lang="en">
        <head>
        <meta charset="utf-8">
        <meta name="viewport" content="width=device-width, initial-scale=1">
        <meta name="color-scheme" content="light dark">
        <title>%s</title>
        <link rel="icon" href="/assets/icon.svg" type="image/svg+xml">
        <link rel="stylesheet" href="/assets/docs.css">
        </head>
        <body>
        <a class="skip" href="#main">Skip to content</a>
        """
            .formatted(title));
    contents();
    html.append("<main id=\"main\">\n<h1>").append(title).append(" <small>");
    html.append(Html.escape(info.path("version").asText())).append("</small></h1>\n");
    html.append("<p class=\"lead\">").append(Html.escape(info.path("summary").asText()));
    html.append(" <a href=\"/openapi.yaml\">openapi.yaml</a></p>\n");
    html.append(ApiSchemaHtml.prose(info.path("description").asText()));
    description.tags().forEach(this::tag);
    security();
    codes();
    types();
    return html.append("</main>\n</body>\n</html>\n").toString();
  }

  private void contents() {
    html.append("<nav aria-label=\"Contents\">\n<a class=\"brand\" href=\"/\">Fairgate</a>\n");
    for (JsonNode tag : description.tags()) {
      String name = tag.path("name").asText();
      html.append("<h2>").append(Html.escape(name)).append("</h2>\n<ul>\n");
      for (Operation operation : tagged(name)) {
        html.append("<li><a href=\"#").append(Html.escape(operation.text("operationId")));
        html.append("\">").append(Html.escape(operation.text("summary"))).append("</a></li>\n");
      }
      html.append("</ul>\n");
    }
    html.append(
        """
        <h2>reference</h2>
        <ul>
        <li><a href="#security">Who is calling</a></li>
        <li><a href="#errors">Error codes</a></li>
        <li><a href="#types">Types</a></li>
        </ul>
        </nav>
        """);
  }

  private List<Operation> tagged(String tag) {
    return description.operations().stream()
        .filter(operation -> operation.node().path("tags").path(0).asText().equals(tag))
        .toList();
  }

  private void tag(JsonNode tag) {
    String name = tag.path("name").asText();
    html.append("<h2 id=\"tag-%s\">%s</h2>\n".formatted(Html.escape(name), Html.escape(name)));
    html.append(ApiSchemaHtml.prose(tag.path("description").asText()));
    tagged(name).forEach(this::operation);
  }

  private void operation(Operation operation) {
    html.append("<article id=\"").append(Html.escape(operation.text("operationId")));
    html.append("\">\n<h3>").append(Html.escape(operation.text("summary"))).append("</h3>\n");
    html.append(
        "<p class=\"call\"><b class=\"%s\">%s</b> <code>%s</code></p>\n"
            .formatted(
                operation.method().toLowerCase(Locale.ROOT),
                operation.method(),
                Html.escape(operation.path())));
    html.append(ApiSchemaHtml.prose(operation.text("description")));
    parameters(operation);
    JsonNode body = operation.node().path("requestBody");
    if (body.isObject()) {
      boolean required = body.path("required").asBoolean();
      html.append(required ? "<h4>Body</h4>\n" : "<h4>Body <small>optional</small></h4>\n");
      content(body);
    }
    answers(operation);
    html.append("</article>\n");
  }

  private void parameters(Operation operation) {
    if (operation.parameters().isEmpty()) {
      return;
    }
    html.append("<h4>Parameters</h4>\n<table><thead><tr><th>name<th>in<th>type<th>meaning");
    html.append("</thead><tbody>\n");
    for (JsonNode parameter : operation.parameters()) {
      boolean required = parameter.path("required").asBoolean();
      html.append(
          "<tr><td><code>%s</code>%s<td>%s<td>%s<td>%s\n"
              .formatted(
                  Html.escape(parameter.path("name").asText()),
                  required ? "" : " <small>optional</small>",
                  Html.escape(parameter.path("in").asText()),
                  schemas.type(parameter.path("schema")),
                  ApiSchemaHtml.inline(parameter.path("description").asText())));
    }
    html.append("</tbody></table>\n");
  }

  private void answers(Operation operation) {
    for (Map.Entry<String, JsonNode> entry : operation.node().path("responses").properties()) {
      boolean shared = entry.getValue().path("$ref").asText().endsWith("/Refused");
      if (!shared) {
        JsonNode response = description.resolve(entry.getValue());
        html.append("<h4>").append(Html.escape(entry.getKey())).append(" <small>");
        html.append(ApiSchemaHtml.inline(response.path("description").asText()));
        html.append("</small></h4>\n");
        content(response);
      }
    }
    JsonNode refusals = operation.node().path("x-error-codes");
    if (!refusals.isEmpty()) {
      html.append("<h4>Refusals</h4>\n<p class=\"codes\">");
      refusals.forEach(code -> html.append(code(code.asText())).append(' '));
      html.append("</p>\n");
    }
  }

  private static String code(String name) {
    return "<a href=\"#error-%s\"><code>%s</code></a> <small>%d</small>"
        .formatted(name, name, StatusOf.code(ErrorCode.valueOf(name)));
  }

  private void content(JsonNode holder) {
    for (Map.Entry<String, JsonNode> media : holder.path("content").properties()) {
      JsonNode schema = media.getValue().path("schema");
      if (!media.getKey().equals("application/json")) {
        html.append("<p class=\"type\">").append(Html.escape(media.getKey())).append("</p>\n");
      } else if (schema.has("$ref")) {
        html.append("<p class=\"type\">").append(schemas.type(schema)).append("</p>\n");
      }
      JsonNode example = media.getValue().path("example");
      if (!example.isMissingNode()) {
        html.append("<pre>").append(Html.escape(sample(example))).append("</pre>\n");
      }
    }
  }

  private static String sample(JsonNode example) {
    if (example.isTextual()) {
      return example.asText();
    }
    try {
      return JSON.writeValueAsString(example);
    } catch (JsonProcessingException e) {
      throw new IllegalStateException(e);
    }
  }

  private void security() {
    html.append("<h2 id=\"security\">Who is calling</h2>\n");
    html.append("<table><thead><tr><th>proof<th>where<th>meaning</thead><tbody>\n");
    for (Named scheme : description.components("securitySchemes")) {
      JsonNode node = scheme.node();
      String where =
          node.path("type").asText().equals("http")
              ? "Authorization: Bearer"
              : node.path("in").asText() + " " + node.path("name").asText();
      html.append(
          "<tr><td>%s<td><code>%s</code><td>%s\n"
              .formatted(
                  Html.escape(scheme.name()),
                  Html.escape(where),
                  ApiSchemaHtml.inline(node.path("description").asText())));
    }
    html.append("</tbody></table>\n");
  }

  private void codes() {
    html.append("<h2 id=\"errors\">Error codes</h2>\n");
    html.append("<table><thead><tr><th>code<th>status<th>who acts</thead><tbody>\n");
    for (ErrorCode code : ErrorCode.values()) {
      html.append(
          "<tr id=\"error-%s\"><td><code>%s</code><td>%d<td>%s\n"
              .formatted(
                  code.name(),
                  code.name(),
                  StatusOf.code(code),
                  code.kind().name().toLowerCase(Locale.ROOT)));
    }
    html.append("</tbody></table>\n");
  }

  private void types() {
    html.append("<h2 id=\"types\">Types</h2>\n");
    for (Named schema : description.components("schemas")) {
      html.append(
          "<article id=\"%s\">\n<h3>%s</h3>\n"
              .formatted(
                  Html.escape(ApiSchemaHtml.anchor(schema.name())), Html.escape(schema.name())));
      html.append(ApiSchemaHtml.prose(schema.node().path("description").asText()));
      html.append(schemas.fields(schema.node())).append("</article>\n");
    }
  }
}
