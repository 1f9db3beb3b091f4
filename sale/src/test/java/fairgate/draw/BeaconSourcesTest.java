package fairgate.draw;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpServer;
import fairgate.draw.leaf.BeaconRound;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// Relays that misbehave.
class BeaconSourcesTest {
  private static final BeaconRound ROUND = new BeaconRound("ab".repeat(32), 7);

  @Test
  @Timeout(60)
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
      assertThat(sources.fetch(ROUND, _ -> true))
          .hasValueSatisfying(signature -> assertThat(signature).hasSize(4));
    } finally {
      good.stop(0);
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
