package fairgate.link;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.google.errorprone.annotations.CanIgnoreReturnValue;
import fairgate.TestEngines;
import fairgate.app.TestFairgate;
import fairgate.platform.embedded.PostgresAddress;
import fairgate.testkit.Eventually;
import fairgate.testkit.RespConnection;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.UUID;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/// Nodes on the same engines and one database, and a browser that owns links.
final class LinkWorld implements AutoCloseable {
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final HttpClient HTTP = HttpClient.newHttpClient();

  private final TestEngines engines;
  private final PostgresAddress database;
  private final Map<String, String> settings;
  private final List<TestFairgate> nodes = new ArrayList<>();
  static final String PASSWORD = "correct horse 9";

  private static final String LINKS = "/api/v1/shortlinks";

  private @Nullable String cookie;
  private @Nullable String session;

  /// @param settings besides those that keep limits out of the way
  LinkWorld(TestEngines engines, int nodes, Map<String, String> settings) {
    this.engines = engines;
    this.database = engines.freshDatabase();
    this.settings = new HashMap<>(Map.of("limits", "off", "links.click_interval_ms", "100"));
    // Those of all routes are not what these tests are about, and are lower.
    for (String other : List.of("ip", "page", "network", "admin")) {
      this.settings.put("limit." + other, "off");
    }
    this.settings.putAll(settings);
    for (int i = 0; i < nodes; i++) {
      var _ = addNode();
    }
    if (Objects.equals(this.settings.get("limits"), "off")) {
      this.nodes.forEach(this::warm);
    }
  }

  /// Waits until the node believes Redis, which takes a look or two at the database.
  void warm(TestFairgate node) {
    await(
        () -> {
          String code = "warm-" + UUID.randomUUID();
          assertThat(status(node, code)).isEqualTo(404);
          return RespConnection.call(engines.redisUri(), "GET", "sl:" + code).equals("__nil__");
        });
  }

  TestFairgate addNode() {
    TestFairgate node = TestFairgate.start(engines, database, settings);
    nodes.add(node);
    return node;
  }

  TestFairgate node(int i) {
    return nodes.get(i);
  }

  List<TestFairgate> nodes() {
    return nodes;
  }

  TestEngines engines() {
    return engines;
  }

  /// One call to the first node, with the owner's cookie.
  HttpResponse<String> call(String method, String path, String body, String... headers) {
    return call(nodes.getFirst(), method, path, body, headers);
  }

  HttpResponse<String> call(
      TestFairgate node, String method, String path, String body, String... headers) {
    List<String> all = new ArrayList<>(List.of(headers));
    String cookies =
        Stream.of(cookie, session).filter(Objects::nonNull).collect(Collectors.joining("; "));
    if (!cookies.isEmpty()) {
      all.addAll(List.of("Cookie", cookies));
    }
    String sent = path.equals(LINKS) && method.equals("POST") ? solved(body) : body;
    HttpResponse<String> answer = node.call(method, path, sent, all.toArray(String[]::new));
    answer
        .headers()
        .firstValue("set-cookie")
        .filter(value -> value.startsWith("fairgate_device"))
        .ifPresent(value -> cookie = value.split(";", 2)[0]);
    return answer;
  }

  /// The body with the solution of the test challenge, which guests need.
  static String solved(String json) {
    return json.replaceFirst("\\{", "{\"turnstile_token\":\"XXXX.DUMMY.TOKEN.XXXX\",");
  }

  /// Posts to the first node, and again while it is too busy.
  private HttpResponse<String> callUntilAccepted(String path, String body) {
    return Eventually.get(
        "the node is not too busy for " + path,
        () -> call("POST", path, body),
        answer -> answer.statusCode() != 503);
  }

  /// Another browser, where nobody is signed in.
  void stranger() {
    cookie = null;
    session = null;
  }

  /// Somebody new registers and signs in; the user name.
  String member() {
    String name = "u" + UUID.randomUUID().toString().substring(0, 12);
    var _ = callUntilAccepted("/api/v1/register", credentials(name));
    signIn(name);
    return name;
  }

  /// Signs in in this browser; the token.
  @CanIgnoreReturnValue
  String signIn(String name) {
    HttpResponse<String> answer = callUntilAccepted("/api/v1/login", credentials(name));
    assertThat(answer.statusCode()).as(answer.body()).isEqualTo(200);
    String token = json(answer).path("token").asText();
    session = "fairgate_account=" + token;
    return token;
  }

  void signOut() {
    assertThat(call("POST", "/api/v1/logout", "").statusCode()).isEqualTo(200);
    session = null;
  }

  private static String credentials(String name) {
    return "{\"username\":\"" + name + "\",\"password\":\"" + PASSWORD + "\"}";
  }

  /// A new link's JSON.
  JsonNode create(String json) {
    HttpResponse<String> answer = callUntilAccepted(LINKS, json);
    assertThat(answer.statusCode()).as(answer.body()).isEqualTo(201);
    return json(answer);
  }

  /// A new link's code.
  String link(String url) {
    return create("{\"url\":\"" + url + "\"}").path("code").asText();
  }

  /// What following a code comes to, without following further.
  HttpResponse<String> follow(TestFairgate node, String code, String... headers) {
    return node.call("GET", "/" + code, "", headers);
  }

  int status(TestFairgate node, String code) {
    return follow(node, code).statusCode();
  }

  static HttpResponse<byte[]> bytes(TestFairgate node, String path) {
    try {
      return HTTP.send(
          HttpRequest.newBuilder(URI.create(node.baseUrl() + path)).build(),
          HttpResponse.BodyHandlers.ofByteArray());
    } catch (IOException e) {
      throw new IllegalStateException(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException(e);
    }
  }

  /// A code nobody has.
  static String unique() {
    return "t" + UUID.randomUUID();
  }

  /// Making the link is refused, for this field.
  void refused(String json, int status, String code, String field) {
    HttpResponse<String> answer = call("POST", LINKS, json);
    assertThat(answer.statusCode()).as(json + ": " + answer.body()).isEqualTo(status);
    assertThat(json(answer).path("error").asText()).isEqualTo(code);
    assertThat(json(answer).path("field").asText()).isEqualTo(field);
  }

  /// What its owner is told of a link.
  JsonNode seen(String code) {
    return json(call("GET", "/api/v1/shortlinks/" + code, ""));
  }

  static JsonNode json(HttpResponse<String> answer) {
    try {
      return JSON.readTree(answer.body());
    } catch (IOException e) {
      throw new IllegalStateException(answer.body(), e);
    }
  }

  /// The first value of a query, as text.
  String sql(String query) {
    try (Connection connection = connect();
        Statement statement = connection.createStatement()) {
      if (!statement.execute(query)) {
        return "";
      }
      ResultSet rows = statement.getResultSet();
      return rows.next() ? String.valueOf(rows.getString(1)) : "";
    } catch (SQLException e) {
      throw new IllegalStateException(e);
    }
  }

  Connection connect() throws SQLException {
    return DriverManager.getConnection(
        TestEngines.jdbcUrl(database), database.user(), database.password());
  }

  /// The sum of a counter over its tags.
  static double counted(TestFairgate node, String start) {
    return node.metrics()
        .body()
        .lines()
        .filter(line -> line.startsWith(start))
        .mapToDouble(line -> Double.parseDouble(line.substring(line.lastIndexOf(' ') + 1)))
        .sum();
  }

  static void await(Eventually.Condition condition) {
    Eventually.await(condition);
  }

  @Override
  public void close() {
    nodes.forEach(TestFairgate::close);
  }
}
