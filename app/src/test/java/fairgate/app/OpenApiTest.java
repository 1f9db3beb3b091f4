package fairgate.app;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import fairgate.Tree;
import fairgate.app.pages.docs.ApiDescription;
import fairgate.kernel.ErrorCode;
import fairgate.platform.http.Route;
import io.vertx.core.Future;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/// The served description is correct: its routes, codes, statuses and examples.
class OpenApiTest {
  private static final JsonNode ROOT = read();
  private static final Set<String> METHODS = Set.of("get", "post", "put", "patch", "delete");

  /// Pages are not part of the description.
  private static final List<String> DESCRIBED =
      List.of(
          "/api/",
          "/health/",
          "/metrics",
          "/openapi.yaml",
          "/docs",
          "/line/webhook",
          "/.well-known/",
          "/gate/",
          "/q/{room}/head",
          "/q/{room}/draws",
          "/q/{room}/gone/",
          "/q/{room}/join",
          "/q/{room}/here",
          "/q/{room}/leave",
          "/q/{room}/enter",
          "/q/{room}/pass",
          "/q/{room}/release",
          "/{code}");

  /// Refusals that any call may have, described once.
  private static final Set<ErrorCode> ANYWHERE =
      Set.of(
          ErrorCode.METHOD_NOT_ALLOWED,
          ErrorCode.SERVER_ERROR,
          ErrorCode.FORBIDDEN,
          ErrorCode.ROLE_NOT_ALLOWED,
          ErrorCode.CLIENT_BANNED);

  private record Operation(String name, JsonNode node) {}

  /// Fails unless the routes are exactly the described ones. Called by tests with the server's
  /// routes.
  static void assertDescribes(Collection<Route> routes) {
    Set<String> served =
        routes.stream()
            .filter(route -> belongs(route.path()))
            .map(route -> route.method() + " " + route.path())
            .collect(Collectors.toCollection(TreeSet::new));
    assertThat(described()).isEqualTo(served);
  }

  @Test
  void everyRouteInTheSourceIsDescribed() throws IOException {
    Pattern route = Pattern.compile("Route\\.(?:blocking)?(\\w+)\\(\\s*\"([^\"]+)\"");
    Set<String> found = new TreeSet<>();
    for (Path file : Tree.main()) {
      for (MatchResult match : route.matcher(Files.readString(file)).results().toList()) {
        // A path composed at run time ends with a slash in the source.
        if (belongs(match.group(2)) && !match.group(2).endsWith("/")) {
          found.add(match.group(1).toUpperCase(Locale.ROOT) + " " + match.group(2));
        }
      }
    }
    assertThat(found).hasSizeGreaterThan(15);
    assertThat(described()).containsAll(found);
  }

  @Test
  void anExtraOrMissingRouteIsDetected() {
    List<Route> one = List.of(Route.get("/api/products", _ -> Future.failedFuture("never asked")));
    assertThatThrownBy(() -> assertDescribes(one)).isInstanceOf(AssertionError.class);
  }

  @Test
  void everyReferencePointsToSomething() {
    List<String> lost =
        ROOT.findValuesAsText("$ref").stream()
            .filter(at -> !at.startsWith("#/") || ROOT.at(at.substring(1)).isMissingNode())
            .toList();
    assertThat(lost).isEmpty();
  }

  @Test
  void everyComponentIsUsed() {
    Set<String> used = new HashSet<>(ROOT.findValuesAsText("$ref"));
    Set<String> idle = new TreeSet<>();
    for (String kind : List.of("schemas", "parameters", "responses")) {
      for (Map.Entry<String, JsonNode> part : ROOT.at("/components/" + kind).properties()) {
        String reference = "#/components/" + kind + "/" + part.getKey();
        if (!used.contains(reference)) {
          idle.add(reference);
        }
      }
    }
    assertThat(idle).isEmpty();
  }

  @Test
  void everyCodeIsGivenBySomeOperation() {
    Set<ErrorCode> used = new HashSet<>(ANYWHERE);
    for (Operation operation : operations()) {
      texts(operation.node().path("x-error-codes")).forEach(c -> used.add(ErrorCode.valueOf(c)));
    }
    assertThat(used).as("codes some operation gives").contains(ErrorCode.values());
  }

  @Test
  void refusalsAndTheSecurityOfAdminRoutesAreAdded() {
    JsonNode claim = ROOT.at("/paths/~1api~1redeem~1claim/post");
    assertThat(claim.path("responses").properties())
        .extracting(Map.Entry::getKey)
        .containsExactly("200", "400", "403", "429", "503");
    JsonNode sales = ROOT.at("/paths/~1api~1admin~1products/get");
    assertThat(sales.path("security")).hasToString("[{\"operatorToken\":[]}]");
    assertThat(sales.at("/responses/401/$ref").asText()).endsWith("/Refused");
    assertThat(texts(ROOT.at("/components/schemas/ErrorCode/enum")))
        .contains("NETWORK_LIMIT_REACHED");
  }

  @Test
  void operationsAreNamedOnceAndTaggedByKnownTags() {
    List<String> ids =
        operations().stream().map(o -> o.node().path("operationId").asText()).toList();
    assertThat(ids).doesNotHaveDuplicates().doesNotContain("");
    Set<String> tags = new HashSet<>(ROOT.path("tags").findValuesAsText("name"));
    for (Operation operation : operations()) {
      assertThat(tags).as(operation.name()).containsAll(texts(operation.node().path("tags")));
      assertThat(operation.node().path("summary").asText()).as(operation.name()).isNotBlank();
    }
  }

  @Test
  void placeholdersOfAPathAreItsParameters() {
    Pattern hole = Pattern.compile("\\{(\\w+)}");
    for (Map.Entry<String, JsonNode> path : ROOT.path("paths").properties()) {
      Set<String> holes =
          hole.matcher(path.getKey()).results().map(m -> m.group(1)).collect(Collectors.toSet());
      Set<String> named = new HashSet<>();
      for (JsonNode parameter : path.getValue().path("parameters")) {
        JsonNode node = ApiExamples.resolve(ROOT, parameter);
        if (node.path("in").asText().equals("path")) {
          named.add(node.path("name").asText());
        }
      }
      assertThat(named).as(path.getKey()).isEqualTo(holes);
    }
  }

  @Test
  void examplesFitTheirSchemas() {
    List<String> wrong = new ArrayList<>();
    int examples = 0;
    for (JsonNode media : ROOT.findParents("example")) {
      if (media.has("schema")) {
        examples++;
        ApiExamples.check(ROOT, media.path("schema"), media.path("example"), "", wrong);
      }
    }
    assertThat(examples).isGreaterThan(20);
    assertThat(wrong).isEmpty();
  }

  private static boolean belongs(String path) {
    return DESCRIBED.stream().anyMatch(path::startsWith);
  }

  private static Set<String> described() {
    return operations().stream()
        .map(Operation::name)
        .collect(Collectors.toCollection(TreeSet::new));
  }

  private static List<Operation> operations() {
    List<Operation> all = new ArrayList<>();
    for (Map.Entry<String, JsonNode> path : ROOT.path("paths").properties()) {
      for (Map.Entry<String, JsonNode> field : path.getValue().properties()) {
        if (METHODS.contains(field.getKey())) {
          String name = field.getKey().toUpperCase(Locale.ROOT) + " " + path.getKey();
          all.add(new Operation(name, field.getValue()));
        }
      }
    }
    return all;
  }

  private static List<String> texts(JsonNode list) {
    List<String> all = new ArrayList<>();
    list.forEach(item -> all.add(item.asText()));
    return all;
  }

  private static JsonNode read() {
    try {
      return new YAMLMapper().readTree(ApiDescription.load().yaml());
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }
}
