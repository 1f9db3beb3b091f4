package fairgate.draw.witness;

import static org.assertj.core.api.Assertions.assertThat;

import fairgate.TestIds;
import fairgate.draw.tlog.Checkpoint;
import fairgate.draw.tlog.Merkle;
import fairgate.draw.tlog.MerkleBuilder;
import fairgate.draw.tlog.SignerKey;
import fairgate.draw.tlog.StrictText;
import fairgate.draw.tlog.VerifierKey;
import fairgate.kernel.KeyRing;
import fairgate.platform.http.HttpConfig;
import fairgate.platform.http.HttpDependencies;
import fairgate.platform.http.HttpServer;
import fairgate.platform.http.Loops;
import fairgate.platform.observe.Metrics;
import io.vertx.core.Vertx;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// The protocol of witnesses over a socket.
final class WitnessRoutesTest {
  private static final SignerKey LOG =
      new SignerKey("shop.example/log", VerifierKey.Type.LOG, new byte[32]);
  private static final SignerKey WITNESS =
      new SignerKey("witness.example/w", VerifierKey.Type.COSIGNATURE, new byte[32]);
  private static final Merkle.Head EMPTY = new Merkle.Head(0, Merkle.EMPTY);

  @TempDir private Path folder;
  private final Vertx vertx = Loops.vertx(1);
  private final HttpClient client = HttpClient.newHttpClient();
  private HttpServer server = serve(Path.of("."));

  private HttpServer serve(Path data) {
    WitnessService service =
        new WitnessService(WITNESS, List.of(LOG.verifier()), data, Clock.systemUTC());
    return HttpServer.start(
        vertx,
        HttpConfig.defaults().withAddress("127.0.0.1", 0),
        WitnessRoutes.of(service),
        new HttpDependencies(
            new TestIds(), new KeyRing("k", Map.of("k", new byte[32])), new Metrics()));
  }

  @BeforeEach
  void start() {
    server.drain(Duration.ofSeconds(2)).await();
    server = serve(folder);
  }

  @AfterEach
  void close() {
    client.close();
    server.drain(Duration.ofSeconds(2)).await();
    vertx.close().await();
  }

  private HttpResponse<String> post(String body) throws IOException, InterruptedException {
    URI address = URI.create("http://127.0.0.1:" + server.port() + "/add-checkpoint");
    return client.send(
        HttpRequest.newBuilder(address).POST(HttpRequest.BodyPublishers.ofString(body)).build(),
        HttpResponse.BodyHandlers.ofString());
  }

  private static Merkle.Head head(String leaf) {
    MerkleBuilder tree = new MerkleBuilder();
    tree.add(Merkle.leafHash(StrictText.bytes(leaf)));
    return tree.head();
  }

  private static String request(String old, String origin, Merkle.Head head, SignerKey key) {
    return "old " + old + "\n\n" + new Checkpoint(origin, head).signed(key);
  }

  private static String request(String old, Merkle.Head head) {
    return request(old, "shop.example/log", head, LOG);
  }

  @Test
  void everyAnswerOfTheProtocolIsGiven() throws Exception {
    HttpResponse<String> good = post(request("0", head("a")));
    assertThat(good.statusCode()).isEqualTo(200);
    assertThat(good.body()).startsWith("— witness.example/w ").endsWith("\n");
    HttpResponse<String> fork = post(request("1", head("b")));
    assertThat(fork.statusCode()).isEqualTo(409);
    assertThat(fork.body()).isEqualTo("1\n");
    assertThat(fork.headers().firstValue("content-type")).contains("text/x.tlog.size");
    MerkleBuilder other = new MerkleBuilder();
    other.add(Merkle.leafHash(StrictText.bytes("b")));
    other.add(Merkle.leafHash(StrictText.bytes("c")));
    assertThat(post(request("1", other.head())).statusCode()).isEqualTo(422);
    assertThat(post(request("0", "other.example/log", EMPTY, LOG)).statusCode()).isEqualTo(404);
    SignerKey stranger =
        new SignerKey(
            "shop.example/log",
            VerifierKey.Type.LOG,
            new byte[] {
              1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1,
              1, 1, 1
            });
    assertThat(post(request("0", "shop.example/log", EMPTY, stranger)).statusCode()).isEqualTo(403);
    assertThat(post("old 1\n").statusCode()).isEqualTo(400);
    assertThat(post("").statusCode()).isEqualTo(400);
    assertThat(post("x".repeat(WitnessService.MAX_REQUEST + 1)).statusCode()).isEqualTo(400);
  }
}
