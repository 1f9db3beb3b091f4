package fairgate.app;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import fairgate.testkit.Eventually;
import java.io.BufferedWriter;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// An import of a file larger than the server's memory, with a `kill -9` during the import.
@Tag("proof")
class ImportCrashIT {
  private static final int ROWS = 120_000;
  private static final String PATH =
      "/api/admin/orders/import?product=1&platform=taobao&currency=CNY";
  private static final ObjectMapper JSON = new ObjectMapper();

  @TempDir Path folder;
  private final HttpClient http = HttpClient.newHttpClient();

  @AfterEach
  void close() {
    http.close();
  }

  /// Each row has a long remark, so that the file has about 60 MB.
  private Path file() throws IOException {
    Path file = folder.resolve("orders.csv");
    String remark = "长备注".repeat(60);
    try (BufferedWriter out = Files.newBufferedWriter(file)) {
      out.write("order_id,amount,status,remark\n");
      for (int i = 0; i < ROWS; i++) {
        out.write(3_211_058_044_792_000_007L + i * 13L + ",99.00,paid," + remark + "\n");
      }
    }
    return file;
  }

  private ServerProcess up() {
    return ServerProcess.up(
        folder.resolve("data"), Map.of("JAVA_TOOL_OPTIONS", "-Xmx64m -XX:+ExitOnOutOfMemoryError"));
  }

  private JsonNode call(
      ServerProcess server, String method, String path, HttpRequest.BodyPublisher body)
      throws IOException, InterruptedException {
    HttpRequest request =
        HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + server.port() + path))
            .header("Authorization", "Bearer " + TestFairgate.OPERATOR)
            .method(method, body)
            .build();
    HttpResponse<String> answer = http.send(request, HttpResponse.BodyHandlers.ofString());
    assertThat(answer.statusCode()).as(answer.body()).isLessThan(300);
    return JSON.readTree(answer.body());
  }

  private JsonNode look(ServerProcess server, String id) throws IOException, InterruptedException {
    return call(
        server, "GET", "/api/admin/orders/import/" + id, HttpRequest.BodyPublishers.noBody());
  }

  @Test
  void aKilledServerResumesTheImportWithLittleMemory() throws Exception {
    Path file = file();
    assertThat(Files.size(file)).isGreaterThan(60L << 20);
    String id;
    long done;
    try (ServerProcess server = up()) {
      JsonNode _ =
          call(
              server,
              "POST",
              "/api/admin/products",
              HttpRequest.BodyPublishers.ofString(
                  """
                  {"id": "1", "name": "Card", "image_url": "", "price": 1, "total_stock": 1,
                   "duration_days": 30, "policy": {"preset": "queue"}}\
                  """));
      JsonNode begun = call(server, "POST", PATH, HttpRequest.BodyPublishers.ofFile(file));
      id = begun.path("id").asText();
      assertThat(begun.path("rows_total").asInt()).isEqualTo(ROWS);
      assertThat(begun.path("state").asText()).isEqualTo("running");
      done = begin(server, id);
      server.kill();
    }
    assertThat(done).isPositive().isLessThan(ROWS);
    // A crash leaves no upload on the disk.
    assertThat(folder.resolve("data/imports")).isEmptyDirectory();
    try (ServerProcess server = up()) {
      long kept = look(server, id).path("rows_done").asLong();
      assertThat(kept).isGreaterThanOrEqualTo(done).isLessThan(ROWS);
      JsonNode now = resume(server, file, id);
      assertThat(now.path("added").asInt()).isEqualTo(ROWS);
      assertThat(now.path("refused").asInt()).isZero();
    }
  }

  /// Waits for the first rows; returns their number.
  private long begin(ServerProcess server, String id) {
    return Eventually.get(
        "a first batch", () -> look(server, id).path("rows_done").asLong(), done -> done > 0);
  }

  /// Uploads the file until the lease of the dead node has expired, and waits for the end.
  private JsonNode resume(ServerProcess server, Path file, String id) throws Exception {
    JsonNode[] now = {call(server, "POST", PATH, HttpRequest.BodyPublishers.ofFile(file))};
    return Eventually.get(
        "the end of the import",
        () -> {
          now[0] =
              now[0].path("state").asText().equals("running")
                  ? look(server, id)
                  : call(server, "POST", PATH, HttpRequest.BodyPublishers.ofFile(file));
          return now[0];
        },
        answer -> answer.path("state").asText().equals("done"));
  }
}
