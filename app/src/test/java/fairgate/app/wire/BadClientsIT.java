package fairgate.app.wire;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import fairgate.app.ServerProcess;
import fairgate.app.TestFairgate;
import fairgate.crowd.Answer;
import fairgate.crowd.ShopClient;
import fairgate.platform.http.Loops;
import fairgate.testkit.Eventually;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Two hundred concurrent clients that stall, send slowly, close their half or do not read, on a
/// server with default settings. The server disconnects those without a complete request, serves
/// the others, and keeps no resources of them.
class BadClientsIT {
  private static final int EACH = 25;
  private static final String WHOLE = "GET /api/products HTTP/1.1\r\nHost: x\r\n\r\n";
  private static final String BODY =
      "POST /api/queue/join HTTP/1.1\r\nHost: x\r\nContent-Length: 1000\r\n\r\n{";

  /// Files that the server opens from time to time.
  private static final int OWN = 6;

  /// Consecutive samples that must find the same number of files.
  private static final int SAME = 100;

  @Test
  void badClientsAreDisconnectedWhileOthersAreServed(@TempDir Path data) throws Exception {
    Vertx vertx = Loops.vertx();
    try (ServerProcess server = ServerProcess.up(data, Map.of())) {
      String session = open(vertx, server);
      int before = settled(server);
      try (Clients bad = new Clients(server.port())) {
        List<BadClient> doomed = new ArrayList<>();
        doomed.addAll(bad.many(EACH, ""));
        doomed.addAll(bad.many(EACH, "GET /api/products HTTP/1.1\r\nX-Long: "));
        doomed.addAll(bad.many(EACH, BODY));
        List<BadClient> dripping = new ArrayList<>();
        dripping.addAll(bad.many(EACH, "GET /api/products HTTP/1.1\r\nX-Long: "));
        dripping.addAll(bad.many(EACH, BODY));
        doomed.addAll(dripping);
        deaf(bad, session);
        bad.many(EACH, WHOLE).forEach(BadClient::reset);
        listening(bad);
        doomedEnd(vertx, server, doomed, dripping, session);
      }
      int _ =
          Eventually.get(
              "no files left over from " + before, () -> files(server), now -> now <= before + OWN);

    } finally {
      vertx.close().await(60, TimeUnit.SECONDS);
    }
  }

  /// A client that does not read the response.
  private static void deaf(Clients bad, String session) {
    var _ = bad.many(EACH, "GET /openapi.yaml HTTP/1.1\r\nHost: x\r\n\r\n".repeat(100));
    var _ =
        bad.many(
            EACH,
            "GET /api/queue/stream HTTP/1.1\r\nHost: x\r\nX-Session-Id: " + session + "\r\n\r\n");
  }

  /// A client that closes its output gets all its responses; one without a request is disconnected.
  private static void listening(Clients bad) {
    for (BadClient client : bad.many(EACH, WHOLE + WHOLE)) {
      client.sendsNoMore();
      assertThat(client.readAll().split("HTTP/1.1 200 OK", -1)).hasSize(3);
    }
    for (BadClient client : bad.many(EACH, "")) {
      client.sendsNoMore();
      assertThat(client.readAll()).isEmpty();
    }
  }

  /// Valid requests and single bytes continue until the server has disconnected the bad clients.
  private static void doomedEnd(
      Vertx vertx,
      ServerProcess server,
      List<BadClient> doomed,
      List<BadClient> dripping,
      String session)
      throws TimeoutException {
    List<BadClient> left = new ArrayList<>(doomed);
    try (ShopClient shop = new ShopClient(vertx, "127.0.0.1", server.port(), 20, 60_000)) {
      Eventually.await(
          "the server has ended all that has to end",
          () -> {
            dripping.forEach(client -> client.write("x"));
            assertThat(served(() -> shop.join("9")).status()).isEqualTo(200);
            assertThat(served(() -> shop.status(session)).status()).isEqualTo(200);
            assertThat(served(() -> shop.get("/health/live")).status()).isEqualTo(200);
            left.removeIf(BadClient::ended);
            return left.isEmpty();
          });
    }
  }

  /// Creates a sale with an open purchase window for the returned session.
  private static String open(Vertx vertx, ServerProcess server) throws TimeoutException {
    try (ShopClient shop = new ShopClient(vertx, "127.0.0.1", server.port(), 2, 60_000)) {
      var policy = JsonNodeFactory.instance.objectNode().put("preset", "queue");
      var product =
          JsonNodeFactory.instance
              .objectNode()
              .put("id", "9")
              .put("name", "Ticket")
              .put("image_url", "")
              .put("price", 100)
              .put("total_stock", 5);
      product.set("policy", policy);
      String admin = "/api/admin/products";
      assertThat(await(shop.admin("POST", admin, TestFairgate.OPERATOR, product)).status())
          .isEqualTo(201);
      Answer joined = served(() -> shop.join("9"));
      assertThat(joined.ok()).isTrue();
      return joined.text("session_id");
    }
  }

  /// The number of open files of the server, once it is stable.
  private static int settled(ServerProcess server) {
    int[] files = new int[SAME];
    int[] looks = {0};
    return Eventually.get(
        "a number of files that stays",
        () -> {
          files[looks[0] % SAME] = files(server);
          looks[0]++;
          return files[(looks[0] - 1) % SAME];
        },
        last -> looks[0] >= SAME && Arrays.stream(files).allMatch(one -> one == last));
  }

  /// 0 when the system does not report it.
  private static int files(ServerProcess server) throws IOException {
    Path open = Path.of("/proc", Long.toString(server.pid()), "fd");
    if (!Files.isDirectory(open)) {
      return 0;
    }
    try (Stream<Path> all = Files.list(open)) {
      return (int) all.count();
    }
  }

  /// Calls until the server is not too busy.
  private static Answer served(Supplier<Future<Answer>> call) {
    return Eventually.get("an answer", () -> await(call.get()), answer -> answer.status() != 503);
  }

  private static Answer await(Future<Answer> answer) throws TimeoutException {
    return answer.await(60, TimeUnit.SECONDS);
  }
}
