package fairgate.draw;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpServer;
import fairgate.draw.beacon.BeaconChain;
import fairgate.draw.leaf.BeaconRound;
import fairgate.draw.tlog.StrictText;
import fairgate.testkit.Eventually;
import fairgate.testkit.FakeDrand;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Clock;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// Relays that misbehave.
class BeaconSourcesTest {
  private static final BeaconRound ROUND = new BeaconRound("ab".repeat(32), 7);

  @Test
  @Timeout(180)
  void aSourceThatStopsAfterTheHeadOfItsReplyDelaysTheNextOnlyByTheTimeLimit() throws IOException {
    HttpServer good =
        HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    good.createContext(
        "/",
        exchange -> {
          byte[] body = "{\"signature\": \"0badf00d\"}".getBytes(StandardCharsets.UTF_8);
          exchange.sendResponseHeaders(200, body.length);
          exchange.getResponseBody().write(body);
          exchange.close();
        });
    good.start();
    try (ServerSocket silent = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
        BeaconSources sources =
            new BeaconSources(
                List.of(url(silent.getLocalPort()), url(good.getAddress().getPort())))) {
      Thread.ofVirtual().start(() -> sendHead(silent));
      // A busy machine may take longer than the time limit for the good source too.
      Optional<byte[]> fetched =
          Eventually.get(
              "the next source answers in time",
              () -> sources.fetch(ROUND, _ -> true),
              Optional::isPresent);
      assertThat(fetched).hasValueSatisfying(signature -> assertThat(signature).hasSize(4));
    } finally {
      good.stop(0);
    }
  }

  @Test
  void aRoundIsFetchedOnceInAPassWhetherOrNotItIsThere() {
    try (FakeDrand drand = TestBeacon.start(Clock.systemUTC());
        BeaconSources sources = new BeaconSources(List.of(drand.url()))) {
      BeaconChain chain = BeaconChain.parse(StrictText.bytes(drand.info())).orElseThrow();
      BeaconRound round = new BeaconRound(chain.hash(), 5);
      drand.silent(true);
      BeaconSources.Rounds before = sources.rounds();
      assertThat(before.signature(round, chain)).isEmpty();
      drand.silent(false);
      assertThat(before.signature(round, chain)).isEmpty();
      assertThat(drand.asked()).isEqualTo(1);
      BeaconSources.Rounds after = sources.rounds();
      for (int draw = 0; draw < 3; draw++) {
        assertThat(after.signature(round, chain)).isPresent();
      }
      assertThat(drand.asked()).isEqualTo(2);
    }
  }

  private static String url(int port) {
    return "http://127.0.0.1:" + port;
  }

  /// Answers one request with a head and one byte, and keeps the connection.
  private static void sendHead(ServerSocket server) {
    try {
      Socket client = server.accept();
      client
          .getOutputStream()
          .write(
              "HTTP/1.1 200 OK\r\ncontent-length: 200\r\n\r\n{".getBytes(StandardCharsets.UTF_8));
    } catch (IOException e) {
      throw new IllegalStateException(e);
    }
  }
}
