package fairgate.platform.http;

import static org.assertj.core.api.Assertions.assertThat;

import fairgate.kernel.AddressBlock;
import fairgate.platform.http.stream.Forwarding.Proxies;
import io.vertx.core.Future;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;

/// PROXY headers over sockets. On Linux all addresses of 127.0.0.0/8 are local, so clients can have
/// different addresses: 127.0.0.2 is the trusted proxy, all others are untrusted.
class ProxyProtocolTest {
  private static final byte[] SIGNATURE = {
    0x0d, 0x0a, 0x0d, 0x0a, 0x00, 0x0d, 0x0a, 0x51, 0x55, 0x49, 0x54, 0x0a
  };
  private static final String PROXY = "127.0.0.2";
  private static final Duration LONG = Duration.ofMinutes(5);

  private static final TestServer SERVER =
      TestServer.of(
          HttpConfig.defaults()
              .withTimeouts(LONG, LONG, LONG)
              .withProxies(
                  new Proxies(
                      List.of(Objects.requireNonNull(AddressBlock.parse(PROXY))),
                      Proxies.Header.X_FORWARDED_FOR,
                      true)),
          Route.get("/who", r -> Future.succeededFuture(Reply.text(200, r.clientAddress()))));

  @AfterAll
  static void stop() {
    SERVER.close();
  }

  /// The server's reply to these bytes; empty when it closes the connection.
  private static String answer(String from, byte[] proxyHeader, String forwarded) {
    try (Socket socket =
        new Socket(
            InetAddress.ofLiteral("127.0.0.1"), SERVER.port(), InetAddress.ofLiteral(from), 0)) {
      socket.setSoTimeout(10_000);
      ByteArrayOutputStream all = new ByteArrayOutputStream();
      all.write(proxyHeader);
      String head =
          "GET /who HTTP/1.1\r\nHost: x\r\nConnection: close\r\nX-Forwarded-For: " + forwarded;
      all.write((head + "\r\n\r\n").getBytes(StandardCharsets.US_ASCII));
      socket.getOutputStream().write(all.toByteArray());
      return new String(socket.getInputStream().readAllBytes(), StandardCharsets.US_ASCII);
    } catch (SocketException _) {
      return "";
    } catch (IOException e) {
      throw new IllegalStateException(e);
    }
  }

  private static String client(String answer) {
    return answer.substring(answer.indexOf("\r\n\r\n") + 4);
  }

  /// @param command 0x21 for a client's connection, 0x20 for the proxy's own
  private static byte[] version2(int command, int family, String... addresses) {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    bytes.writeBytes(SIGNATURE);
    bytes.write(command);
    bytes.write(family);
    ByteArrayOutputStream body = new ByteArrayOutputStream();
    for (String address : addresses) {
      body.writeBytes(InetAddress.ofLiteral(address).getAddress());
    }
    if (addresses.length > 0) {
      body.writeBytes(new byte[] {0x30, 0x39, 0x01, (byte) 0xbb});
    }
    bytes.write(body.size() >> 8);
    bytes.write(body.size());
    bytes.writeBytes(body.toByteArray());
    return bytes.toByteArray();
  }

  private static byte[] version1(String line) {
    return line.getBytes(StandardCharsets.US_ASCII);
  }

  @Test
  void aTrustedProxyReportsTheClientAddress() {
    byte[] v4 = version2(0x21, 0x11, "203.0.113.9", "127.0.0.1");
    assertThat(client(answer(PROXY, v4, ""))).isEqualTo("203.0.113.9");
    byte[] v6 = version2(0x21, 0x21, "2001:db8::7", "::1");
    assertThat(client(answer(PROXY, v6, ""))).isEqualTo("2001:db8::7");
    byte[] v1 = version1("PROXY TCP4 203.0.113.8 127.0.0.1 12345 443\r\n");
    assertThat(client(answer(PROXY, v1, ""))).isEqualTo("203.0.113.8");
  }

  @Test
  void theClientsOwnHeaderIsIgnored() {
    byte[] v4 = version2(0x21, 0x11, "203.0.113.9", "127.0.0.1");
    assertThat(client(answer(PROXY, v4, "198.51.100.1"))).isEqualTo("203.0.113.9");
  }

  /// Two proxies: the outer one writes the header, the inner one uses the PROXY protocol.
  @Test
  void aTrustedProxyBehindTheProxyIsTrusted() {
    byte[] v4 = version2(0x21, 0x11, PROXY, "127.0.0.1");
    assertThat(client(answer(PROXY, v4, "203.0.113.9"))).isEqualTo("203.0.113.9");
  }

  /// The health check of HAProxy.
  @Test
  void aConnectionOfTheProxyItselfHasItsAddress() {
    assertThat(client(answer(PROXY, version2(0x20, 0x00), ""))).isEqualTo(PROXY);
    assertThat(client(answer(PROXY, version1("PROXY UNKNOWN\r\n"), ""))).isEqualTo(PROXY);
  }

  @Test
  void aConnectionOfAnUntrustedProxyIsClosed() {
    double before = strangers();
    byte[] forged = version2(0x21, 0x11, "203.0.113.9", "127.0.0.1");
    assertThat(answer("127.0.0.9", forged, "")).isEmpty();
    // Not even when it claims to be the proxy.
    byte[] claim = version2(0x21, 0x11, PROXY, "127.0.0.1");
    assertThat(answer("127.0.0.9", claim, "203.0.113.9")).isEmpty();
    assertThat(strangers() - before).isEqualTo(2);
  }

  @Test
  void aConnectionWithoutTheHeaderIsClosed() {
    assertThat(answer(PROXY, new byte[0], "")).isEmpty();
    assertThat(answer("127.0.0.9", new byte[0], "")).isEmpty();
  }

  @Test
  void aConnectionWithADamagedHeaderIsClosed() {
    assertThat(answer(PROXY, version1("PROXY TCP4 1.2.3 127.0.0.1 1 2\r\n"), "")).isEmpty();
    assertThat(answer(PROXY, version2(0x21, 0x11, "203.0.113.9"), "")).isEmpty();
    assertThat(answer(PROXY, version2(0x31, 0x11, "203.0.113.9", "127.0.0.1"), "")).isEmpty();
  }

  /// No header is longer than 64 KiB. A decoder that takes the unknown version for an incomplete
  /// header would collect everything.
  @Test
  void aHeaderOfAnUnknownVersionThatNeverEndsClosesTheConnection() throws IOException {
    byte[] head = Arrays.copyOf(SIGNATURE, 256 * 1024);
    Arrays.fill(head, SIGNATURE.length, head.length, (byte) 0xff);
    try (Socket socket =
        new Socket(
            InetAddress.ofLiteral("127.0.0.1"),
            SERVER.port(),
            InetAddress.ofLiteral("127.0.0.9"),
            0)) {
      socket.setSoTimeout((int) LONG.toMillis() / 5);
      assertThat(isClosedAfter(head, socket)).isTrue();
    }
  }

  /// Whether the server closes the connection, rather than waiting for more.
  private static boolean isClosedAfter(byte[] head, Socket socket) throws IOException {
    try {
      socket.getOutputStream().write(head);
      return socket.getInputStream().read() < 0;
    } catch (SocketTimeoutException _) {
      return false;
    } catch (SocketException _) {
      return true;
    }
  }

  private static double strangers() {
    return SERVER.metrics.registry().get("fairgate.http.strangers").counter().count();
  }
}
