package fairgate.app.wire;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import fairgate.app.ServerProcess;
import fairgate.app.TestFairgate;
import fairgate.crowd.Answer;
import fairgate.crowd.ShopClient;
import fairgate.platform.http.Loops;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Two hundred clients that stall, drip, close their half or read nothing, all at once, on a server
/// with its own settings: those that ask for nothing whole are ended by it, those beside them are
/// served, and nothing of theirs is left.
class BadClientsIT {
  private static final int EACH = 25;
  private static final String WHOLE = "GET /api/products HTTP/1.1\r\nHost: x\r\n\r\n";
  private static final String BODY =
      "POST /api/queue/join HTTP/1.1\r\nHost: x\r\nContent-Length: 1000\r\n\r\n{";

  /// Beyond the ten seconds a request may take to come, and the sweep after them.
  private static final long END_MS = 15_000;

  /// Files the server opens by itself now and then.
  private static final int OWN = 6;

  @Test
  void areEndedWhileOthersAreServed(@TempDir Path data) throws Exception {
    Vertx vertx = Loops.vertx();
    try (ServerProcess server = ServerProcess.up(data, Map.of())) {
      String session = open(vertx, server);
      int before = settled(server, Integer.MAX_VALUE);
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
      assertThat(settled(server, before + OWN)).isLessThanOrEqualTo(before + OWN);
    } finally {
      vertx.close().await(10, TimeUnit.SECONDS);
    }
  }

  /// Who reads nothing of what it asks for.
  private static void deaf(Clients bad, String session) {
    var _ = bad.many(EACH, "GET /openapi.yaml HTTP/1.1\r\nHost: x\r\n\r\n".repeat(100));
    var _ =
        bad.many(
            EACH,
            "GET /api/queue/stream HTTP/1.1\r\nHost: x\r\nX-Session-Id: " + session + "\r\n\r\n");
  }

  /// Who closes its half and listens is told all it asked for; who asked for nothing is let go.
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

  /// Honest requests and single bytes go on until the server has ended all that has to end.
  private static void doomedEnd(
      Vertx vertx,
      ServerProcess server,
      List<BadClient> doomed,
      List<BadClient> dripping,
      String session)
      throws TimeoutException {
    List<BadClient> left = new ArrayList<>(doomed);
    long deadline = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(END_MS);
    try (ShopClient shop = new ShopClient(vertx, "127.0.0.1", server.port(), 20, 5_000)) {
      while (!left.isEmpty() && System.nanoTime() < deadline) {
        dripping.forEach(client -> client.write("x"));
        assertThat(await(shop.join("9")).status()).isEqualTo(200);
        assertThat(await(shop.status(session)).status()).isEqualTo(200);
        assertThat(await(shop.get("/health/live")).status()).isEqualTo(200);
        left.removeIf(BadClient::ended);
        LockSupport.parkNanos(100_000_000);
      }
    }
    assertThat(left).isEmpty();
  }

  /// Makes a sale whose window stands open for a session that is returned.
  private static String open(Vertx vertx, ServerProcess server) throws TimeoutException {
    try (ShopClient shop = new ShopClient(vertx, "127.0.0.1", server.port(), 2, 10_000)) {
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
      Answer joined = await(shop.join("9"));
      assertThat(joined.ok()).isTrue();
      return joined.text("session_id");
    }
  }

  /// How many files the server has open, once that is no more than expected or stays as it is.
  private static int settled(ServerProcess server, int expected) throws IOException {
    long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(10);
    int files = files(server);
    int same = 0;
    while ((files > expected || same < 5) && System.nanoTime() < deadline) {
      LockSupport.parkNanos(100_000_000);
      int now = files(server);
      same = now == files ? same + 1 : 0;
      files = now;
    }
    return files;
  }

  /// 0 where the system does not tell.
  private static int files(ServerProcess server) throws IOException {
    Path open = Path.of("/proc", Long.toString(server.pid()), "fd");
    if (!Files.isDirectory(open)) {
      return 0;
    }
    try (Stream<Path> all = Files.list(open)) {
      return (int) all.count();
    }
  }

  private static Answer await(Future<Answer> answer) throws TimeoutException {
    return answer.await(20, TimeUnit.SECONDS);
  }
}
