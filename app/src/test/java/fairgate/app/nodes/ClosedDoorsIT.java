package fairgate.app.nodes;

import static org.assertj.core.api.Assertions.assertThat;

import fairgate.TestEngines;
import fairgate.app.TestFairgate;
import fairgate.platform.embedded.PostgresAddress;
import fairgate.testkit.Eventually;
import fairgate.testkit.FrontProxy;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// The shipped configurations of nginx, HAProxy and Caddy in the real programs: console, admin API
/// and metrics stay closed under any spelling of their paths, slow and crowded connections too, and
/// the shop stays open. Every request for a path has the operator's token, so a request that gets
/// through succeeds.
@Timeout(600)
class ClosedDoorsIT {
  private static final Path DEPLOY = Path.of("../deploy");

  private static final List<String> CLOSED =
      List.of(
          "/metrics",
          "/metrics/",
          "/metrics?x=1",
          "/metrics;x",
          "/metrics;/x",
          "/%6detrics",
          "/%6Detrics",
          "/%4detrics",
          "/metric%73",
          "/%6d%65%74%72%69%63%73",
          "/%256detrics",
          "//metrics",
          "///metrics",
          "/./metrics",
          "/%2e/metrics",
          "/p/../metrics",
          "/p/%2e%2e/metrics",
          "/p/%2E./metrics",
          "/p/..%2fmetrics",
          "/p/..;/metrics",
          "/%2fmetrics",
          "/%2Fmetrics",
          "/\\metrics",
          "/%5cmetrics",
          "/METRICS",
          "/Metrics",
          "/metrics%00",
          "/metrics%20",
          "/metrics%2f",
          "/metrics/.",
          "/metrics/x/..",
          "http://localhost/metrics",
          "/console",
          "/console/",
          "/console?x",
          "/%63onsole",
          "/consol%65",
          "//console",
          "/./console",
          "/p/../console",
          "/p/%2e%2e/console",
          "/console;x",
          "/Console",
          "/api/admin/products",
          "/api/admin",
          "/api//admin/products",
          "//api/admin/products",
          "/api/./admin/products",
          "/api/%2e/admin/products",
          "/api/x/../admin/products",
          "/api/x/%2e%2e/admin/products",
          "/api/%61dmin/products",
          "/%61pi/admin/products",
          "/api/admi%6e/products",
          "/api%2fadmin/products",
          "/api%2Fadmin%2Fproducts",
          "/api/admin%2fproducts",
          "/api/admin;x/products",
          "/api;x/admin/products",
          "/API/ADMIN/products",
          "/api/Admin/products",
          "/api%5cadmin/products",
          "http://localhost/api/admin/products");

  private static final Map<String, String> OPEN =
      Map.of(
          "/", "200",
          "/?lang=en", "200",
          "/health/live", "200",
          "/docs", "200",
          "/openapi.yaml", "200",
          "/claim", "200",
          "/api/products/none", "404",
          "/p/none", "404",
          "/p/%E7%A5%A8", "404");

  /// Instead of the 1000 of the shipped file.
  private static final int MOST_CONNECTIONS = 20;

  private static final String UNFINISHED = "GET /health/live HTTP/1.1\r\nHost: ";

  private static TestFairgate node;
  private static TestFairgate behindProtocol;
  private static FrontProxy nginx;
  private static FrontProxy haproxy;
  private static FrontProxy caddy;

  @BeforeAll
  static void start() throws IOException {
    PostgresAddress database = TestEngines.shared().freshDatabase();
    node = node(database, "off");
    behindProtocol = node(database, "on");
    nginx = nginx(node.port());
    haproxy = haproxy(behindProtocol.port());
    caddy = caddy(node.port());
  }

  private static TestFairgate node(PostgresAddress database, String protocol) {
    return TestFairgate.start(
        TestEngines.shared(),
        database,
        Map.of("server.trusted_proxies", "127.0.0.1", "server.proxy_protocol", protocol));
  }

  private static FrontProxy nginx(int port) throws IOException {
    String config = Files.readString(DEPLOY.resolve("nginx/fairgate.conf"));
    config = config.replaceAll("10\\.0\\.0\\.1[1-4]:8080", "127.0.0.1:" + port);
    // With HTTP/2, a page never waits for one of the six connections of HTTP/1.1.
    assertThat(config).contains("listen 443 ssl http2;");
    config = config.replace("listen 443 ssl http2;", "listen 127.0.0.1:$PORT0;");
    return FrontProxy.nginx(without(config, "ssl_certificate"), 1);
  }

  private static FrontProxy haproxy(int port) throws IOException {
    String config = Files.readString(DEPLOY.resolve("haproxy.cfg"));
    config = config.replaceAll("10\\.0\\.0\\.1[1-4]:8080", "127.0.0.1:" + port);
    assertThat(config).contains("alpn h2,http/1.1");
    config = config.replaceAll("bind :443 .*", "bind 127.0.0.1:\\$PORT0");
    assertThat(config).contains("sc0_conn_cur gt 1000");
    config = config.replace("gt 1000", "gt " + MOST_CONNECTIONS);
    // The health check uses the same listener, so it needs the PROXY header as well.
    return FrontProxy.haproxy(config, 1);
  }

  private static FrontProxy caddy(int port) throws IOException {
    String config = Files.readString(DEPLOY.resolve("Caddyfile"));
    config = config.replace("tickets.example.com {", "http://:$PORT0 {");
    return FrontProxy.caddy(
        config.replace("10.0.0.11:8080 10.0.0.12:8080", "127.0.0.1:" + port), 1);
  }

  private static String without(String config, String setting) {
    return config
        .lines()
        .filter(line -> !line.strip().startsWith(setting))
        .collect(Collectors.joining("\n", "", "\n"));
  }

  @AfterAll
  static void stop() {
    caddy.close();
    haproxy.close();
    nginx.close();
    behindProtocol.close();
    node.close();
  }

  @Test
  void nginxKeepsOperatorRoutesClosed() {
    assertClosed(nginx.port(0));
  }

  @Test
  void haproxyKeepsOperatorRoutesClosed() {
    assertClosed(haproxy.port(0));
  }

  @Test
  void caddyKeepsOperatorRoutesClosed() {
    assertClosed(caddy.port(0));
  }

  /// The proxies terminate TLS and forward the scheme; HAProxy also sends the PROXY protocol.
  @Test
  void cookiesThroughTheProxiesAreForHttpsOnly() {
    node.createProduct("7", 1, "{\"preset\":\"queue\"}");
    String challenge = "/api/challenge?product_id=7";
    for (int port : List.of(nginx.port(0), haproxy.port(0))) {
      String answer =
          Eventually.get(
              "the shop is open",
              () -> answer(port, challenge),
              each -> each.startsWith("HTTP/1.1 200"));
      assertThat(answer).contains("__Host-fairgate_device=").contains("; Secure");
    }
    String buyer = "PROXY TCP4 203.0.113.7 10.0.0.1 40000 443\r\n";
    assertThat(answer(behindProtocol.port(), buyer, challenge, "X-Forwarded-Proto: https"))
        .contains("__Host-fairgate_device=");
  }

  @Test
  void haproxyLimitsTheConnectionsOfOneAddress() {
    assertThat(status(haproxy.port(0), "/health/live")).isEqualTo("200");
    Eventually.await("one address is refused and another served", this::onlyTheCrowdIsRefused);
  }

  /// On a busy machine the first connections may end before the last one begins.
  private boolean onlyTheCrowdIsRefused() throws IOException {
    List<Socket> held = new ArrayList<>();
    try {
      for (int i = 0; i < MOST_CONNECTIONS; i++) {
        held.add(connect(haproxy.port(0), "127.0.0.2"));
        held.getLast().getOutputStream().write(UNFINISHED.getBytes(StandardCharsets.US_ASCII));
      }
      try (Socket further = connect(haproxy.port(0), "127.0.0.2")) {
        further.setSoTimeout(60_000);
        boolean refused = further.getInputStream().readAllBytes().length == 0;
        return refused && status(haproxy.port(0), "/health/live").equals("200");
      } catch (SocketException _) {
        return status(haproxy.port(0), "/health/live").equals("200");
      }
    } finally {
      for (Socket each : held) {
        each.close();
      }
    }
  }

  @Test
  void anUnfinishedHeadIsClosed() throws IOException {
    List<Socket> all = new ArrayList<>();
    for (FrontProxy proxy : List.of(nginx, haproxy, caddy)) {
      Socket socket = connect(proxy.port(0), "127.0.0.3");
      all.add(socket);
      // Less than the programs wait by themselves.
      socket.setSoTimeout(45_000);
      socket.getOutputStream().write(UNFINISHED.getBytes(StandardCharsets.US_ASCII));
    }
    for (Socket socket : all) {
      String answer =
          new String(socket.getInputStream().readAllBytes(), StandardCharsets.ISO_8859_1);
      assertThat(answer).matches("(?s)(HTTP/1\\.[01] 408 .*)?");
      socket.close();
    }
  }

  private static Socket connect(int port, String from) throws IOException {
    Socket socket = new Socket();
    socket.bind(new InetSocketAddress(from, 0));
    socket.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), 60_000);
    return socket;
  }

  /// Without a proxy, the operator's routes accept exactly one spelling.
  @Test
  void theServerAcceptsOneSpellingOnly() {
    List<String> direct =
        List.of("/metrics", "/metrics?x=1", "/console", "/console?x", "/api/admin/products");
    for (String path : CLOSED) {
      String status = status(node.port(), path);
      if (direct.contains(path)) {
        // The console leads to its sign-in.
        assertThat(status).as(path).isIn("200", "303");
      } else {
        assertThat(status).as(path).isIn("400", "404");
      }
    }
  }

  private static void assertClosed(int port) {
    Map<String, String> passed = new TreeMap<>();
    for (String path : CLOSED) {
      String status = status(port, path);
      if (!status.equals("400") && !status.equals("404")) {
        passed.put(path, status);
      }
    }
    assertThat(passed).isEmpty();
    Map<String, String> open = new TreeMap<>();
    for (String path : OPEN.keySet()) {
      open.put(path, status(port, path));
    }
    assertThat(open).isEqualTo(new TreeMap<>(OPEN));
  }

  /// The status of the response; `closed` without one. Waits while the proxy does not find the node
  /// or gets no answer in time (502 to 504): a busy machine fails the first health checks.
  private static String status(int port, String target) {
    return Eventually.get(
        "the health checks find the node",
        () -> {
          String answer = answer(port, target);
          return answer.length() < 12 ? "closed" : answer.substring(9, 12);
        },
        status -> !List.of("502", "503", "504").contains(status));
  }

  /// The response to a request with this raw target; empty without one.
  private static String answer(int port, String target) {
    return answer(port, "", target, "Accept: */*");
  }

  private static String answer(int port, String before, String target, String header) {
    try (Socket socket = new Socket()) {
      socket.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), 60_000);
      socket.setSoTimeout(60_000);
      String request =
          (before + "GET %s HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer %s\r\n%s\r\n")
                  .formatted(target, TestFairgate.OPERATOR, header)
              + "Connection: close\r\n\r\n";
      socket.getOutputStream().write(request.getBytes(StandardCharsets.ISO_8859_1));
      byte[] answer = socket.getInputStream().readAllBytes();
      return new String(answer, StandardCharsets.ISO_8859_1);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
