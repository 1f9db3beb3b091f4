package fairgate.app.pages.docs;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.dataformat.yaml.YAMLFactory;
import com.fasterxml.jackson.dataformat.yaml.YAMLGenerator;
import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import com.fasterxml.jackson.dataformat.yaml.util.StringQuotingChecker;
import fairgate.kernel.ErrorCode;
import fairgate.platform.text.FeatureFiles;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

/// The OpenAPI description of the API: the file of what is common, the parts of the features, and
/// what the server knows itself.
///
/// - The values of the schema `ErrorCode` are those of [ErrorCode].
/// - An operation has the response `Refused` with the status of each of its `x-error-codes`, unless
///   `x-error-statuses` has another one for it.
/// - Operations below `/api/admin/` need the token of an operator, unless they name another
///   security.
public final class ApiDescription {
  private static final String RESOURCE = "/fairgate/app/openapi.yaml";
  private static final Set<String> METHODS = Set.of("get", "post", "put", "patch", "delete");

  private static final YAMLMapper MAPPER =
      new YAMLMapper(
          YAMLFactory.builder()
              .disable(YAMLGenerator.Feature.WRITE_DOC_START_MARKER)
              .disable(YAMLGenerator.Feature.SPLIT_LINES)
              .enable(YAMLGenerator.Feature.LITERAL_BLOCK_STYLE)
              .stringQuotingChecker(new QuotedStatuses())
              .build());

  private final JsonNode root;

  private ApiDescription(JsonNode root) {
    this.root = root;
  }

  /// Statuses are names, which YAML would read as numbers.
  private static final class QuotedStatuses extends StringQuotingChecker.Default {
    private static final long serialVersionUID = 1;

    @Override
    public boolean needToQuoteName(String name) {
      return super.needToQuoteName(name) || Character.isDigit(name.charAt(0));
    }
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

  /// Reads and completes the description.
  public static ApiDescription load() {
    try (InputStream in = ApiDescription.class.getResourceAsStream(RESOURCE)) {
      if (in == null) {
        throw new IllegalStateException("missing from the jar: " + RESOURCE);
      }
      ApiDescription description = new ApiDescription(MAPPER.readTree(in));
      for (byte[] part : FeatureFiles.named("api/openapi.yaml").values()) {
        // Adds to objects and lists at every depth.
        JsonNode _ = MAPPER.readerForUpdating(description.root).readValue(part);
      }
      description.complete();
      return description;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private void complete() {
    ArrayNode codes = ((ObjectNode) root.at("/components/schemas/ErrorCode")).putArray("enum");
    for (ErrorCode code : ErrorCode.values()) {
      codes.add(code.name());
    }
    for (Operation operation : operations()) {
      ObjectNode node = (ObjectNode) operation.node();
      ObjectNode responses = (ObjectNode) node.path("responses");
      for (String status : refusals(node)) {
        if (!responses.has(status)) {
          responses.putObject(status).put("$ref", "#/components/responses/Refused");
        }
      }
      if (operation.path().startsWith("/api/admin/") && !node.has("security")) {
        node.putArray("security").addObject().putArray("operatorToken");
      }
    }
  }

  /// The statuses of an operation's error codes.
  private static Set<String> refusals(JsonNode operation) {
    Set<String> statuses = new TreeSet<>();
    for (JsonNode code : operation.path("x-error-codes")) {
      int usual = ErrorCode.valueOf(code.asText()).status();
      int status = operation.path("x-error-statuses").path(code.asText()).asInt(usual);
      statuses.add(Integer.toString(status));
    }
    return statuses;
  }

  /// The complete description, UTF-8.
  public byte[] yaml() {
    try {
      return MAPPER.writeValueAsBytes(root);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
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
