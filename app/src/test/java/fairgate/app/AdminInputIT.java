package fairgate.app;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import fairgate.app.pages.docs.ApiDescription;
import fairgate.testkit.Eventually;
import java.io.IOException;
import java.net.http.HttpResponse;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

/// Every route of the admin API accepts exactly the parameters and fields of `openapi.yaml`.
class AdminInputIT {
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final JsonNode ROOT = read();
  private static final Set<String> METHODS = Set.of("get", "post", "put", "patch", "delete");
  private static TestFairgate server;

  /// @param fields of its JSON body; empty when it takes none
  private record Operation(
      String method, String path, List<String> parameters, List<String> fields) {
    String name() {
      return method + " " + path;
    }

    /// The path with a number in every placeholder; no such row exists.
    String target() {
      return path.replaceAll("\\{\\w+}", "987654");
    }
  }

  @BeforeAll
  static void start() {
    server = TestFairgate.start();
  }

  @AfterAll
  static void stop() {
    server.close();
  }

  @TestFactory
  Stream<DynamicTest> anUnknownParameterIsRefusedByName() {
    return each(
        operation -> {
          String wrong = misspelled(operation.parameters());
          String error = refused(operation, "?" + wrong + "=1", "");
          assertThat(error).contains(wrong + " is not a query parameter here.");
          if (!operation.parameters().isEmpty()) {
            assertThat(error).contains("Did you mean " + operation.parameters().getFirst() + "?");
          }
        });
  }

  @TestFactory
  Stream<DynamicTest> aParameterGivenTwiceIsRefusedByName() {
    return each(
        operation -> {
          for (String name : operation.parameters()) {
            String error = refused(operation, "?" + name + "=1&" + name + "=1", "");
            assertThat(error).contains(name + " is given more than once.");
          }
        });
  }

  @TestFactory
  Stream<DynamicTest> anUnknownFieldIsRefusedByName() {
    return each(
        operation -> {
          if (isUpload(operation)) {
            return;
          }
          String wrong = misspelled(operation.fields());
          String error = refused(operation, "", "{\"" + wrong + "\": 1}");
          assertThat(error).contains(wrong + " is not a field here.");
          if (!operation.fields().isEmpty()) {
            assertThat(error).contains("Did you mean " + operation.fields().getFirst() + "?");
          }
        });
  }

  @TestFactory
  Stream<DynamicTest> everyDescribedNameIsKnown() {
    return each(
        operation -> {
          StringBuilder query = new StringBuilder("?");
          operation.parameters().forEach(name -> query.append(name).append("=&"));
          ObjectNode body = JSON.createObjectNode();
          operation.fields().forEach(body::putNull);
          boolean bare = operation.parameters().isEmpty();
          HttpResponse<String> answer =
              call(operation, bare ? "" : query.toString(), body.isEmpty() ? "" : body.toString());
          assertThat(answer.body()).doesNotContain("is not a query parameter", "is not a field");
        });
  }

  @Test
  void aBanWithAMisspelledLengthIsRefused() {
    String body =
        """
        {"kind": "ip", "value": "203.0.113.9", "reason": "an hour", "seconds": 3600}
        """;
    HttpResponse<String> answer = post("/api/admin/bans", body);
    assertThat(answer.statusCode()).isEqualTo(400);
    assertThat(answer.body()).contains("seconds is not a field", "Did you mean duration_seconds?");
    assertThat(server.admin("GET", "/bans", "")).doesNotContain("203.0.113.9");
  }

  @Test
  void aMisspelledFieldOfAPolicyIsRefusedWithTheNearestOne() {
    String body =
        """
        {"id": "81", "name": "Ticket", "price": 1, "total_stock": 1, "policy": {"max_quantiy": 2}}
        """;
    HttpResponse<String> answer = post("/api/admin/products", body);
    assertThat(answer.statusCode()).isEqualTo(400);
    assertThat(answer.body())
        .contains("policy.max_quantiy is not a field", "Did you mean max_quantity?");
  }

  @Test
  void bansByAsnAndByCountryAreRefusedWithoutADatabase() {
    Map<String, String> settings =
        Map.of("asn", "bans.asn_database", "country", "networks.country_database");
    settings.forEach(
        (kind, setting) -> {
          for (String effect : List.of("ban", "allow")) {
            String body =
                """
                {"effect": "%s", "kind": "%s", "value": "TW", "reason": "a farm"}
                """
                    .formatted(effect, kind);
            HttpResponse<String> answer = post("/api/admin/bans", body);
            assertThat(answer.statusCode()).isEqualTo(400);
            assertThat(answer.body()).contains("\"field\":\"kind\"", setting);
          }
        });
    assertThat(server.admin("GET", "/bans", "")).doesNotContain("a farm");
  }

  private interface Check {
    void accept(Operation operation);
  }

  private static Stream<DynamicTest> each(Check check) {
    List<Operation> all = operations();
    assertThat(all).hasSizeGreaterThan(40);
    return all.stream().map(one -> DynamicTest.dynamicTest(one.name(), () -> check.accept(one)));
  }

  private static String refused(Operation operation, String query, String body) {
    HttpResponse<String> answer = callUntilAccepted(operation, query, body);
    assertThat(answer.statusCode()).as(answer.body()).isEqualTo(400);
    assertThat(answer.body()).contains("INVALID_REQUEST");
    return answer.body();
  }

  /// The first known name with an additional letter, or a name that resembles none.
  private static String misspelled(List<String> known) {
    return known.isEmpty() ? "wrong_name" : known.getFirst() + "s";
  }

  /// The body of an upload is a file or a document with its own parser.
  private static boolean isUpload(Operation operation) {
    return operation.name().equals("POST /api/admin/orders/import")
        || operation.name().equals("POST /api/admin/pictures")
        || operation.name().equals("POST /api/admin/products/{id}/invitations")
        || operation.name().equals("POST /api/admin/policies")
        || operation.name().equals("POST /api/admin/policies/validate");
  }

  private static HttpResponse<String> post(String path, String body) {
    return callUntilAccepted(new Operation("POST", path, List.of(), List.of()), "", body);
  }

  private static HttpResponse<String> callUntilAccepted(
      Operation operation, String query, String body) {
    return Eventually.get(
        "the server is not too busy for " + operation.name(),
        () -> call(operation, query, body),
        answer -> answer.statusCode() != 503);
  }

  private static HttpResponse<String> call(Operation operation, String query, String body) {
    return server.call(
        operation.method(),
        operation.target() + query,
        body,
        "Authorization",
        "Bearer " + TestFairgate.OPERATOR,
        "Accept-Language",
        "en");
  }

  private static List<Operation> operations() {
    List<Operation> all = new ArrayList<>();
    for (Map.Entry<String, JsonNode> path : ROOT.path("paths").properties()) {
      for (Map.Entry<String, JsonNode> field : path.getValue().properties()) {
        if (path.getKey().startsWith("/api/admin/") && METHODS.contains(field.getKey())) {
          JsonNode node = field.getValue();
          JsonNode schema = node.at("/requestBody/content/application~1json/schema");
          all.add(
              new Operation(
                  field.getKey().toUpperCase(Locale.ROOT),
                  path.getKey(),
                  parameters(node),
                  names(ApiExamples.resolve(ROOT, schema).path("properties"))));
        }
      }
    }
    return all;
  }

  private static List<String> parameters(JsonNode operation) {
    List<String> names = new ArrayList<>();
    for (JsonNode parameter : operation.path("parameters")) {
      JsonNode node = ApiExamples.resolve(ROOT, parameter);
      if (node.path("in").asText().equals("query")) {
        names.add(node.path("name").asText());
      }
    }
    return names;
  }

  private static List<String> names(JsonNode properties) {
    return properties.properties().stream().map(Map.Entry::getKey).toList();
  }

  private static JsonNode read() {
    try {
      return new YAMLMapper().readTree(ApiDescription.load().yaml());
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }
}
