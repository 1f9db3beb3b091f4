package fairgate.app.data;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import fairgate.TestEngines;
import fairgate.app.TestFairgate;
import fairgate.app.backup.Restore;
import fairgate.platform.embedded.PostgresAddress;
import fairgate.platform.postgres.PostgresDatabase;
import fairgate.platform.postgres.PostgresSettings;
import fairgate.platform.postgres.TestDatabase;
import fairgate.testkit.Eventually;
import fairgate.testkit.RespConnection;
import io.vertx.core.Vertx;
import java.io.IOException;
import java.io.InputStream;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.postgresql.PGConnection;

/// This build opens the data of the first build that recorded which builds may work on its data
/// (schema version 90, `data_compatibility.minimum` 88): two paused sales, their buyers, accounts,
/// links and codes. The resources are what that build wrote on 25 November 2026: the rows of
/// PostgreSQL as a backup, the history of its migrations with their checksums, and each key of
/// Redis as `DUMP` gave it.
@Timeout(300)
class UpgradeIT {
  private static final String RESOURCES = "upgrade/";
  private static final String RESTORE_KEY =
      "local bytes = ARGV[2]:gsub('..', function(hex) return string.char(tonumber(hex, 16)) end)"
          + " return redis.call('RESTORE', KEYS[1], ARGV[1], bytes)";
  private static final int OLD_SCHEMA = 90;
  private static final String FIRST_BUYER = "10feb071-972d-48f2-b5a8-5faa8dd25f3b";
  private static final String FIRST_ORDER = "order_5_01m8a84tvx88e574769abd48f2";
  private static final String NEXT_BUYER = "fb692d47-d289-4114-b429-f709d0bd2d13";
  private static final String PAID_ORDER = "order_6_01m8a85gve670b9d3880e1c654";
  private static final String HELD_ORDER = "order_6_01m8a85h2xe100d36adf5c40d1";
  private static final ObjectMapper JSON = new ObjectMapper();

  @TempDir
  @SuppressWarnings("NullAway.Init")
  private Path folder;

  @Test
  void salesOrdersAndCodesOfAnOldBuildGoOn() throws Exception {
    try (TestEngines engines = TestEngines.privateEngines()) {
      PostgresAddress database = engines.freshDatabase();
      restorePostgres(database);
      restoreRedis(engines);
      try (TestFairgate server = TestFairgate.start(engines, database, Map.of())) {
        ordersAreThere(server);
        theSaleGoesOn(server);
        unpaidUnitsComeBack(server);
        codesLinksAccountsAndBansAreThere(server);
      }
      assertThat(number(database, "SELECT count(*) FROM dead_letters")).isZero();
      assertThat(number(database, "SELECT minimum FROM data_compatibility"))
          .as("the build that wrote these data refuses them now (see MigrationsTest)")
          .isGreaterThan(OLD_SCHEMA);
    }
  }

  private static void ordersAreThere(TestFairgate server) throws IOException {
    assertThat(json(server.admin("GET", "/orders?product_id=5", "")).path("orders"))
        .hasSize(3)
        .allMatch(order -> order.path("status").asText().equals("paid"));
    HttpResponse<String> own =
        server.callUntilAccepted(
            "GET", "/api/orders/" + FIRST_ORDER, "", "X-Session-Id", FIRST_BUYER);
    assertThat(own.statusCode()).as(own.body()).isEqualTo(200);
    assertThat(json(own.body()).path("status").asText()).isEqualTo("paid");
  }

  private static void theSaleGoesOn(TestFairgate server) throws IOException {
    awaitLive(server, "5", 7, 3);
    String _ = server.admin("POST", "/products/5/resume", "");
    HttpResponse<String> repeated =
        Eventually.get(
            "the server is not too busy",
            () -> server.buy(FIRST_BUYER, "5", "upgrade-key-0000"),
            answer -> answer.statusCode() != 503);
    assertThat(repeated.statusCode()).as(repeated.body()).isEqualTo(200);
    assertThat(json(repeated.body()).path("order_id").asText()).isEqualTo(FIRST_ORDER);
    HttpResponse<String> bought =
        Eventually.get(
            "the buyer whose turn it was buys",
            () -> server.buy(NEXT_BUYER, "5", "upgrade-key-0003"),
            answer -> answer.statusCode() == 200);
    assertThat(json(bought.body()).path("order_id").asText()).startsWith("order_5_");
    awaitLive(server, "5", 6, 4);
  }

  /// Its payment was due while no server ran, so the gateway is asked and the unit is released.
  private static void unpaidUnitsComeBack(TestFairgate server) throws IOException {
    String _ = server.admin("POST", "/products/6/resume", "");
    awaitLive(server, "6", 3, 1);
    JsonNode orders = json(server.admin("GET", "/orders?product_id=6", "")).path("orders");
    for (JsonNode order : orders) {
      String id = order.path("order_id").asText();
      String status = order.path("status").asText();
      assertThat(id).isIn(PAID_ORDER, HELD_ORDER);
      assertThat(status.equals("paid")).as(order.toString()).isEqualTo(id.equals(PAID_ORDER));
    }
  }

  private static void codesLinksAccountsAndBansAreThere(TestFairgate server) throws IOException {
    assertThat(claim(server, "TB20260108123456789").body()).contains("ORDER_ALREADY_CLAIMED");
    assertThat(
            server.admin(
                "POST", "/redeem/export", "{\"full\":true,\"reason\":\"after an upgrade\"}"))
        .as("its code can be read with the master secret")
        .contains("MHYDET-K3ZRCY-TWR4");
    HttpResponse<String> first = claim(server, "TB20260108123456790");
    assertThat(first.statusCode()).as(first.body()).isEqualTo(200);
    HttpResponse<String> login =
        server.callUntilAccepted(
            "POST",
            "/api/v1/login",
            "{\"username\":\"old-friend\",\"password\":\"a long enough passphrase\"}");
    assertThat(login.statusCode()).as(login.body()).isEqualTo(200);
    assertThat(server.callUntilAccepted("HEAD", "/txq9yg9bn", "").headers().firstValue("location"))
        .hasValue("https://example.com/old");
    assertThat(server.admin("GET", "/bans?kind=network", "")).contains("203.0.113.0/24");
  }

  private static HttpResponse<String> claim(TestFairgate server, String order) {
    return server.callUntilAccepted(
        "POST",
        "/api/redeem/claim",
        """
        {"order_id":"%s","product_id":"basic","device_id":"device-of-the-claim-0001",
         "turnstile_token":"XXXX.DUMMY.TOKEN.XXXX"}
        """
            .formatted(order));
  }

  private static void awaitLive(TestFairgate server, String sale, int free, int confirmed) {
    JsonNode _ =
        Eventually.get(
            "sale %s has %d free units, %d are sold, balanced".formatted(sale, free, confirmed),
            () -> json(server.admin("GET", "/products/" + sale + "/live", "")),
            live ->
                live.path("free").asInt() == free
                    && live.path("confirmed").asInt() == confirmed
                    && live.path("balanced").asBoolean());
  }

  /// As the old build left it: its rows, and its own record of migrations, which Flyway compares
  /// with the files of this build.
  private void restorePostgres(PostgresAddress database) throws Exception {
    Path backup = folder.resolve("old.backup");
    try (InputStream in = resource("tables.backup")) {
      long _ = Files.copy(in, backup);
    }
    PostgresSettings settings = TestDatabase.settings(database, 2);
    Vertx vertx = Vertx.vertx();
    try (PostgresDatabase pool = PostgresDatabase.open(vertx, settings);
        Restore restore = Restore.open(backup)) {
      assertThat(restore.into(settings, pool).rejected()).isZero();
    } finally {
      var _ = vertx.close().await();
    }
    try (Connection connection = connect(database);
        Statement statement = connection.createStatement();
        InputStream history = resource("flyway_schema_history.tsv")) {
      statement.execute("TRUNCATE flyway_schema_history");
      long migrations =
          connection
              .unwrap(PGConnection.class)
              .getCopyAPI()
              .copyIn("COPY flyway_schema_history FROM STDIN", history);
      assertThat(migrations).isEqualTo(20);
    }
  }

  private static void restoreRedis(TestEngines engines) throws IOException {
    try (InputStream in = resource("redis.txt")) {
      String keys = new String(in.readAllBytes(), StandardCharsets.UTF_8);
      for (String line : keys.lines().toList()) {
        String[] part = line.split(" ", -1);
        assertThat(
                RespConnection.call(
                    engines.redisUri(), "EVAL", RESTORE_KEY, "1", part[0], part[1], part[2]))
            .isEqualTo("OK");
      }
    }
  }

  private static InputStream resource(String name) {
    return Objects.requireNonNull(UpgradeIT.class.getResourceAsStream(RESOURCES + name), name);
  }

  private static Connection connect(PostgresAddress database) throws SQLException {
    return DriverManager.getConnection(
        TestEngines.jdbcUrl(database), database.user(), database.password());
  }

  private static long number(PostgresAddress database, String sql) throws SQLException {
    try (Connection connection = connect(database);
        Statement statement = connection.createStatement();
        ResultSet result = statement.executeQuery(sql)) {
      assertThat(result.next()).isTrue();
      return result.getLong(1);
    }
  }

  private static JsonNode json(String body) {
    try {
      return JSON.readTree(body);
    } catch (IOException e) {
      throw new IllegalStateException(e);
    }
  }
}
