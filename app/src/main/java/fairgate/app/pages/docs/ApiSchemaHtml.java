package fairgate.app.pages.docs;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.util.DefaultPrettyPrinter;
import com.fasterxml.jackson.core.util.Separators;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectWriter;
import com.fasterxml.jackson.databind.json.JsonMapper;
import gg.jte.html.escape.Escape;
import gg.jte.output.StringOutput;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/// Renders schemas of the API description as HTML: the type of a value, and the fields of an
/// object.
record ApiSchemaHtml(ApiDescription description) {
  private static final String SCHEMAS = "#/components/schemas/";

  private static final ObjectWriter JSON =
      new JsonMapper()
          .writer(
              new DefaultPrettyPrinter(
                  Separators.createDefaultInstance()
                      .withObjectFieldValueSpacing(Separators.Spacing.AFTER)));

  static String anchor(String schema) {
    return "schema-" + schema;
  }

  /// A text with `code` as code elements; blank lines separate paragraphs.
  static String prose(String text) {
    StringBuilder html = new StringBuilder();
    for (String paragraph : text.strip().split("\n\\s*\n", -1)) {
      if (!paragraph.isBlank()) {
        html.append("<p>").append(inline(paragraph)).append("</p>\n");
      }
    }
    return html.toString();
  }

  static String inline(String text) {
    return Html.escape(text.strip()).replaceAll("`([^`]+)`", "<code>$1</code>");
  }

  /// An example as text: indented JSON, unless it is a text itself.
  static String sample(JsonNode example) {
    if (example.isTextual()) {
      return example.asText();
    }
    try {
      return JSON.writeValueAsString(example);
    } catch (JsonProcessingException e) {
      throw new IllegalStateException(e);
    }
  }

  /// A short description of a value's type, with a link if the type has a section.
  String type(JsonNode schema) {
    String reference = schema.path("$ref").asText();
    if (reference.startsWith(SCHEMAS)) {
      String name = Html.escape(reference.substring(SCHEMAS.length()));
      return "<a href=\"#" + anchor(name) + "\">" + name + "</a>";
    }
    if (schema.path("type").asText().equals("array")) {
      return "list of " + type(schema.path("items"));
    }
    List<String> words = new ArrayList<>();
    if (schema.path("type").isArray()) {
      List<String> types = new ArrayList<>();
      schema.path("type").forEach(type -> types.add(type.asText()));
      words.add(String.join(" or ", types));
    } else if (!schema.has("const")) {
      words.add(schema.path("type").asText("any"));
    }
    return Html.escape(String.join(", ", words)) + bounds(schema);
  }

  private static String bounds(JsonNode schema) {
    StringBuilder html = new StringBuilder();
    if (schema.has("const")) {
      html.append("<code>").append(Html.escape(schema.path("const").asText())).append("</code>");
    }
    if (schema.has("enum")) {
      List<String> words = new ArrayList<>();
      schema
          .path("enum")
          .forEach(word -> words.add("<code>" + Html.escape(word.asText()) + "</code>"));
      html.append(": ").append(String.join(" ", words));
    }
    for (String bound : List.of("minimum", "maximum", "minLength", "maxLength", "format")) {
      if (schema.has(bound)) {
        html.append(", ").append(word(bound)).append(Html.escape(schema.path(bound).asText()));
      }
    }
    return html.toString();
  }

  private static String word(String bound) {
    return switch (bound) {
      case "minimum" -> "from ";
      case "maximum" -> "to ";
      case "minLength" -> "shortest ";
      case "maxLength" -> "longest ";
      default -> "";
    };
  }

  /// The fields of an object as a table; for other types, a sentence.
  String fields(JsonNode reference) {
    JsonNode schema = description.resolve(reference);
    if (!schema.path("properties").isObject()) {
      return "<p class=\"type\">" + type(schema) + pattern(schema) + "</p>\n";
    }
    List<String> required = new ArrayList<>();
    schema.path("required").forEach(name -> required.add(name.asText()));
    StringBuilder html =
        new StringBuilder("<table><thead><tr><th>field<th>type<th>meaning</thead><tbody>\n");
    for (Map.Entry<String, JsonNode> field : schema.path("properties").properties()) {
      html.append(row(field.getKey(), field.getValue(), required.contains(field.getKey())));
    }
    return html.append("</tbody></table>\n").toString();
  }

  private String row(String name, JsonNode schema, boolean required) {
    String mark = required ? "" : " <small>optional</small>";
    return "<tr><td><code>%s</code>%s<td>%s<td>%s\n"
        .formatted(
            Html.escape(name), mark, type(schema), inline(schema.path("description").asText()));
  }

  private static String pattern(JsonNode schema) {
    return schema.has("pattern")
        ? " <code>" + Html.escape(schema.path("pattern").asText()) + "</code>"
        : "";
  }

  private static final class Html {
    private Html() {}

    static String escape(String text) {
      StringOutput escaped = new StringOutput();
      Escape.htmlContent(text, escaped);
      return escaped.toString();
    }
  }
}
