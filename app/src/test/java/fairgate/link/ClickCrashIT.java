package fairgate.link;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.ObjectMapper;
import fairgate.TestEngines;
import fairgate.app.MortalServer;
import fairgate.app.TestFairgate;
import fairgate.platform.embedded.PostgresAddress;
import fairgate.testkit.Eventually;
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
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/// A node that counts clicks is killed: it loses what it had not written, and nothing else.
@Tag("proof")
class ClickCrashIT {
  private static final HttpClient HTTP = HttpClient.newHttpClient();
  private static final int WRITTEN = 300;
  private static final int FRESH = 40;

  private final TestEngines engines = TestEngines.shared();
  private final PostgresAddress database = engines.freshDatabase();

  private static HttpResponse<String> call(int port, String method, String path, String body) {
    HttpRequest request =
        HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + path))
            .method(method, HttpRequest.BodyPublishers.ofString(body))
            .header("User-Agent", "Mozilla/5.0 (a visitor)")
            .build();
    try {
      return HTTP.send(request, HttpResponse.BodyHandlers.ofString());
    } catch (IOException e) {
      throw new IllegalStateException(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException(e);
    }
  }

  private static void follow(int port, String code, int times) {
    for (int i = 0; i < times; i++) {
      // What a busy node refuses (503) is no click.
      Eventually.await(
          "the link is followed", () -> call(port, "GET", "/" + code, "").statusCode() == 302);
    }
  }

  private long counted() {
    try (Connection connection =
            DriverManager.getConnection(
                TestEngines.jdbcUrl(database), database.user(), database.password());
        Statement statement = connection.createStatement();
        ResultSet rows =
            statement.executeQuery("SELECT coalesce(sum(clicks), 0) FROM short_link_clicks")) {
      assertThat(rows.next()).isTrue();
      return rows.getLong(1);
    } catch (SQLException e) {
      throw new IllegalStateException(e);
    }
  }

  @Test
  void aKilledNodeLosesTheClicksSinceTheLastWriteOnly() throws IOException {
    String code;
    try (MortalServer mortal = MortalServer.start(engines, database)) {
      String link = LinkWorld.solved("{\"url\":\"https://example.com/\"}");
      HttpResponse<String> made =
          Eventually.get(
              "the link is made",
              () -> call(mortal.port(), "POST", "/api/v1/shortlinks", link),
              answer -> answer.statusCode() == 201);
      code = new ObjectMapper().readTree(made.body()).path("code").asText();
      follow(mortal.port(), code, WRITTEN);
      Eventually.await(() -> counted() == WRITTEN);
      follow(mortal.port(), code, FRESH);
      mortal.kill();
    }
    long kept = counted();
    assertThat(kept).isBetween((long) WRITTEN, (long) WRITTEN + FRESH);

    try (TestFairgate next = TestFairgate.start(engines, database, Map.of())) {
      follow(next.port(), code, 5);
      Eventually.await(() -> counted() >= kept + 5);
      assertThat(counted()).as("nothing is counted twice").isEqualTo(kept + 5);
    }
  }
}
