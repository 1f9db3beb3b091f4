package fairgate.app;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/// Validates examples against their schemas, with the parts of JSON Schema that the API's
/// description uses.
final class ApiExamples {
  private ApiExamples() {}

  /// Adds a problem for every part of the value that the schema does not allow.
  static void check(
      JsonNode root, JsonNode reference, JsonNode value, String at, List<String> wrong) {
    JsonNode schema = resolve(root, reference);
    if (!hasType(schema, value)) {
      wrong.add(at + ": " + value + " is not " + schema.path("type"));
      return;
    }
    if (schema.has("const") && !schema.path("const").equals(value)) {
      wrong.add(at + ": " + value + " is not " + schema.path("const"));
    }
    if (schema.has("enum") && !contains(schema.path("enum"), value)) {
      wrong.add(at + ": " + value + " is not one of " + schema.path("enum"));
    }
    if (schema.has("pattern") && !value.asText().matches(schema.path("pattern").asText())) {
      wrong.add(at + ": " + value + " does not match " + schema.path("pattern"));
    }
    if (schema.has("minimum") && value.asLong() < schema.path("minimum").asLong()) {
      wrong.add(at + ": " + value + " is too small");
    }
    for (JsonNode item : value.isArray() ? value : List.<JsonNode>of()) {
      check(root, schema.path("items"), item, at + "[]", wrong);
    }
    members(root, schema, value, at, wrong);
  }

  private static void members(
      JsonNode root, JsonNode schema, JsonNode value, String at, List<String> wrong) {
    for (JsonNode name : value.isObject() ? schema.path("required") : List.<JsonNode>of()) {
      if (!value.has(name.asText())) {
        wrong.add(at + " lacks " + name);
      }
    }
    boolean open = !schema.has("properties") || schema.path("additionalProperties").asBoolean();
    for (Map.Entry<String, JsonNode> member : value.properties()) {
      JsonNode known = schema.path("properties").path(member.getKey());
      if (!known.isMissingNode()) {
        check(root, known, member.getValue(), at + "." + member.getKey(), wrong);
      } else if (schema.path("additionalProperties").isObject()) {
        check(root, schema.path("additionalProperties"), member.getValue(), at + ".*", wrong);
      } else if (!open) {
        wrong.add(at + " has " + member.getKey() + ", which the schema does not know");
      }
    }
  }

  static JsonNode resolve(JsonNode root, JsonNode node) {
    return node.path("$ref").isTextual() ? root.at(node.path("$ref").asText().substring(1)) : node;
  }

  private static boolean hasType(JsonNode schema, JsonNode value) {
    List<String> types = new ArrayList<>();
    if (schema.path("type").isArray()) {
      schema.path("type").forEach(type -> types.add(type.asText()));
    } else if (schema.has("type")) {
      types.add(schema.path("type").asText());
    }
    return types.isEmpty() || types.stream().anyMatch(type -> isA(type, value));
  }

  private static boolean isA(String type, JsonNode value) {
    return switch (type) {
      case "object" -> value.isObject();
      case "array" -> value.isArray();
      case "string" -> value.isTextual();
      case "integer" -> value.isIntegralNumber();
      case "number" -> value.isNumber();
      case "boolean" -> value.isBoolean();
      case "null" -> value.isNull();
      default -> throw new AssertionError("no such type: " + type);
    };
  }

  private static boolean contains(JsonNode list, JsonNode value) {
    for (JsonNode item : list) {
      if (item.equals(value)) {
        return true;
      }
    }
    return false;
  }
}
