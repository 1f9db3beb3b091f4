package fairgate.redeem;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import fairgate.TestEngines;
import fairgate.app.TestFairgate;
import fairgate.kernel.KeyRing;
import fairgate.platform.embedded.PostgresAddress;
import fairgate.platform.observe.Metrics;
import fairgate.platform.postgres.PostgresDatabase;
import fairgate.platform.postgres.PostgresSettings;
import fairgate.platform.postgres.TestDatabase;
import fairgate.redeem.code.CodeMask;
import fairgate.redeem.code.CodeStrength;
import fairgate.redeem.code.CodeUpkeep;
import fairgate.redeem.code.CodeVault;
import fairgate.testkit.Eventually;
import io.vertx.core.Vertx;
import java.io.IOException;
import java.net.http.HttpResponse;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/// A server whose orders can be redeemed, its buyers, and a look into its database.
public final class RedeemTestServer implements AutoCloseable {
  private static final ObjectMapper JSON = new ObjectMapper();

  private final TestFairgate server;
  private final PostgresAddress database;

  private RedeemTestServer(TestFairgate server, PostgresAddress database) {
    this.server = server;
    this.database = database;
  }

  /// A node on a fresh database, without limits unless the settings turn them on.
  public static RedeemTestServer open(Map<String, String> settings) {
    return on(TestEngines.shared().freshDatabase(), settings);
  }

  /// A node on a database that others may use too.
  public static RedeemTestServer on(PostgresAddress database, Map<String, String> settings) {
    return on(TestEngines.shared(), database, settings);
  }

  /// A node on engines of one's own.
  public static RedeemTestServer on(
      TestEngines engines, PostgresAddress database, Map<String, String> settings) {
    Map<String, String> all = new HashMap<>(Map.of("limits", "off"));
    // Those of all routes are not what these tests are about, and are lower.
    for (String other : List.of("ip", "page", "network", "admin")) {
      all.put("limit." + other, "off");
    }
    all.putAll(settings);
    return new RedeemTestServer(TestFairgate.start(engines, database, all), database);
  }

  public TestFairgate server() {
    return server;
  }

  public PostgresAddress database() {
    return database;
  }

  /// Sets up a product that can be redeemed.
  public void product(String id, @Nullable Integer days) {
    sql(
        "INSERT INTO redeem_products (id, name, duration_days, actor) VALUES (?, ?, ?, 'test')",
        id,
        id,
        days);
  }

  /// An imported order.
  public void order(String platform, String id, String product, String status) {
    sql(
        """
        INSERT INTO orders (platform, order_id, product_id, status, imported_at)
        VALUES (?, ?, ?, ?, now())
        """,
        platform,
        id,
        product,
        status);
  }

  /// One claim; `cookie` empty for a browser that never was here.
  public Answer claim(String order, String product, String device, String cookie) {
    return claim(
        "{\"order_id\":\"%s\",\"product_id\":\"%s\",\"device_id\":\"%s\"}"
            .formatted(order, product, device),
        cookie);
  }

  /// A claim, and again while the server is too busy (503).
  public Answer claimUntilAccepted(String order, String product, String device, String cookie) {
    return Eventually.get(
        "the server is not too busy for the claim",
        () -> claim(order, product, device, cookie),
        answer -> answer.status() != 503);
  }

  /// One claim with a body of one's own.
  public Answer claim(String body, String cookie) {
    return Answer.of(
        cookie.isEmpty()
            ? server.call("POST", "/api/redeem/claim", body)
            : server.call("POST", "/api/redeem/claim", body, "Cookie", cookie));
  }

  /// One call with a JSON body.
  public Answer post(String path, String body, String... headers) {
    return Answer.of(server.call("POST", path, body, headers));
  }

  /// What an operator's call gives.
  public JsonNode admin(String method, String path, String body) {
    try {
      return JSON.readTree(server.admin(method, path, body));
    } catch (IOException e) {
      throw new IllegalStateException(e);
    }
  }

  /// Does at once what is done for codes by itself now and then.
  public void sweep(InstantSource clock) {
    withDatabase(
        (vertx, postgres) -> {
          CodeVault vault = new CodeVault(new KeyRing("k1", Map.of("k1", new byte[32])));
          CodeStrength strength =
              new CodeStrength(postgres, _ -> CodeMask.of("MHYDET-XXXXXX-XXXX"));
          try (CodeUpkeep upkeep =
              new CodeUpkeep(postgres, vault, strength, clock, new Metrics())) {
            upkeep.sweep();
          }
        });
  }

  /// Works on the database with the server's own means.
  public void withDatabase(BiConsumer<Vertx, PostgresDatabase> work) {
    Vertx vertx = Vertx.vertx();
    PostgresSettings settings = TestDatabase.settings(database, 2);
    try (PostgresDatabase postgres = PostgresDatabase.open(vertx, settings)) {
      work.accept(vertx, postgres);
    } finally {
      vertx.close().await();
    }
  }

  /// The cookie of a new browser.
  public String browser() {
    HttpResponse<String> page =
        server.call(
            "POST",
            "/api/redeem/claim",
            "{\"order_id\":\"x\",\"product_id\":\"y\"," + "\"device_id\":\"z\"}");
    return page.headers().allValues("set-cookie").stream()
        .map(cookie -> cookie.split(";", 2)[0])
        .findFirst()
        .orElseThrow();
  }

  /// Runs a statement; the rows as texts.
  public List<List<@Nullable String>> sql(String sql, @Nullable Object... values) {
    try (Connection connection =
            DriverManager.getConnection(
                TestEngines.jdbcUrl(database), database.user(), database.password());
        PreparedStatement statement = connection.prepareStatement(sql)) {
      for (int i = 0; i < values.length; i++) {
        statement.setObject(i + 1, values[i]);
      }
      List<List<@Nullable String>> rows = new ArrayList<>();
      if (statement.execute()) {
        ResultSet set = statement.getResultSet();
        while (set.next()) {
          List<@Nullable String> row = new ArrayList<>();
          for (int i = 1; i <= set.getMetaData().getColumnCount(); i++) {
            row.add(set.getString(i));
          }
          rows.add(row);
        }
      }
      return rows;
    } catch (SQLException e) {
      throw new IllegalStateException(e);
    }
  }

  /// The single value a query gives.
  public String value(String sql, @Nullable Object... values) {
    return String.valueOf(sql(sql, values).getFirst().getFirst());
  }

  /// Waits until it is so.
  public static void eventually(Eventually.Condition check) {
    Eventually.await(check);
  }

  @Override
  public void close() {
    server.close();
  }

  /// An answer, read.
  public record Answer(int status, JsonNode body, HttpResponse<String> raw) {
    static Answer of(HttpResponse<String> raw) {
      try {
        return new Answer(raw.statusCode(), JSON.readTree(raw.body()), raw);
      } catch (IOException e) {
        throw new IllegalStateException(raw.body(), e);
      }
    }

    /// The code that was given; fails unless one was.
    public String code() {
      assertThat(status).as(raw.body()).isEqualTo(200);
      assertThat(body.path("success").asBoolean()).isTrue();
      return body.path("data").path("code").asText();
    }

    public boolean replayed() {
      return body.path("replayed").asBoolean();
    }

    /// Fails unless it is this refusal.
    public Answer refused(int expected, String code) {
      assertThat(status + " " + body.path("error").asText())
          .as(raw.body())
          .isEqualTo(expected + " " + code);
      assertThat(body.path("success").asBoolean()).isFalse();
      assertThat(body.path("message").asText()).isNotEmpty();
      return this;
    }
  }
}
