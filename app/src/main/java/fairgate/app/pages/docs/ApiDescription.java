package fairgate.app.pages.docs;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;

/// The OpenAPI description of the API, read once.
final class ApiDescription {
  private static final String RESOURCE = "/fairgate/app/openapi.yaml";
  private static final Set<String> METHODS = Set.of("get", "post", "put", "patch", "delete");

  private final byte[] source;
  private final JsonNode root;

  private ApiDescription(byte[] source, JsonNode root) {
    this.source = source;
    this.root = root;
  }

  /// One method on one path.
  ///
  /// @param parameters parameters of path and method, with references resolved
  record Operation(String method, String path, JsonNode node, List<JsonNode> parameters) {
    String text(String field) {
      return node.path(field).asText();
    }
  }

  /// A named element: a response, a schema or a security scheme.
  record Named(String name, JsonNode node) {}

  static ApiDescription load() {
    try (InputStream in = ApiDescription.class.getResourceAsStream(RESOURCE)) {
      if (in == null) {
        throw new IllegalStateException("missing from the jar: " + RESOURCE);
      }
      byte[] source = in.readAllBytes();
      return new ApiDescription(source, new YAMLMapper().readTree(source));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /// The file in the jar.
  byte[] source() {
    return source.clone();
  }

  JsonNode info() {
    return root.path("info");
  }

  List<JsonNode> tags() {
    List<JsonNode> tags = new ArrayList<>();
    root.path("tags").forEach(tags::add);
    return List.copyOf(tags);
  }

  /// All operations, in the order of the file.
  List<Operation> operations() {
    List<Operation> operations = new ArrayList<>();
    for (Map.Entry<String, JsonNode> path : root.path("paths").properties()) {
      for (Map.Entry<String, JsonNode> field : path.getValue().properties()) {
        if (METHODS.contains(field.getKey())) {
          operations.add(
              new Operation(
                  field.getKey().toUpperCase(Locale.ROOT),
                  path.getKey(),
                  field.getValue(),
                  parameters(path.getValue(), field.getValue())));
        }
      }
    }
    return List.copyOf(operations);
  }

  /// The operations of a tag.
  List<Operation> operations(JsonNode tag) {
    String name = tag.path("name").asText();
    return operations().stream()
        .filter(operation -> operation.node().path("tags").path(0).asText().equals(name))
        .toList();
  }

  /// The responses of an operation by status, without the common refusal.
  List<Named> responses(Operation operation) {
    return operation.node().path("responses").properties().stream()
        .filter(response -> !response.getValue().path("$ref").asText().endsWith("/Refused"))
        .map(response -> new Named(response.getKey(), resolve(response.getValue())))
        .toList();
  }

  /// The elements under `components`, in the order of the file.
  ///
  /// @param kind for example `schemas`
  List<Named> components(String kind) {
    return root.path("components").path(kind).properties().stream()
        .map(entry -> new Named(entry.getKey(), entry.getValue()))
        .toList();
  }

  /// The node, or the target of its `$ref`. Throws IllegalStateException when the target is
  /// missing.
  JsonNode resolve(JsonNode node) {
    JsonNode reference = node.path("$ref");
    if (!reference.isTextual()) {
      return node;
    }
    JsonNode target = root.at(reference.asText().substring(1));
    if (target.isMissingNode()) {
      throw new IllegalStateException("unresolved reference: " + reference.asText());
    }
    return target;
  }

  private List<JsonNode> parameters(JsonNode path, JsonNode operation) {
    List<JsonNode> all = new ArrayList<>();
    path.path("parameters").forEach(parameter -> all.add(resolve(parameter)));
    operation.path("parameters").forEach(parameter -> all.add(resolve(parameter)));
    return List.copyOf(all);
  }
}
