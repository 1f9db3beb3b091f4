package fairgate.app.nodes;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpServer;
import fairgate.testkit.Eventually;
import fairgate.testkit.FrontProxy;
import fairgate.testkit.RawHttp;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.Executors;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/// The lines for a grey release in the shipped proxy files: the new version gets its share of the
/// visitors, always the same ones, and one command takes it out. See `docs/operate/upgrading.md`.
class GreyProxyIT {
  private static final Path DEPLOY = Path.of("../deploy");
  private static final int VISITORS = 600;

  /// A node that says which version it is.
  private static HttpServer node(String version) throws IOException {
    HttpServer server =
        HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 100);
    byte[] body = version.getBytes(StandardCharsets.UTF_8);
    server.createContext(
        "/",
        exchange -> {
          exchange.sendResponseHeaders(200, body.length);
          exchange.getResponseBody().write(body);
          exchange.close();
        });
    server.setExecutor(Executors.newVirtualThreadPerTaskExecutor());
    server.start();
    return server;
  }

  private static String read(String file, HttpServer old, HttpServer fresh) throws IOException {
    String all = Files.readString(DEPLOY.resolve(file));
    assertThat(all).contains("# grey: ", "10.0.0.11:8080", "10.0.0.15:8080");
    return all.replace("# grey: ", "")
        .replace("10.0.0.11:8080", "127.0.0.1:" + old.getAddress().getPort())
        .replace("10.0.0.15:8080", "127.0.0.1:" + fresh.getAddress().getPort())
        .lines()
        .filter(line -> !line.contains(" 10.0.0.1") && !line.strip().startsWith("ssl_certificate"))
        .collect(Collectors.joining("\n", "", "\n"));
  }

  private static String nginx(HttpServer old, HttpServer fresh) throws IOException {
    return read("nginx/fairgate.conf", old, fresh)
        .replace("listen 443 ssl http2;", "listen 127.0.0.1:$PORT0;")
        .replace("rate=50r/s", "rate=50000r/s")
        .replace("burst=200 ", "burst=20000 ");
  }

  /// The versions that the visitors reach, in their order.
  private static List<String> versions(FrontProxy proxy, String cookie) {
    return IntStream.range(0, VISITORS)
        .mapToObj(
            visitor ->
                RawHttp.send(
                        proxy.port(0),
                        "GET",
                        "/p/7",
                        "Cookie: theme=dark; " + cookie + "=visitor" + (10_000 + visitor) + ".sig")
                    .body())
        .toList();
  }

  private static void isShared(FrontProxy proxy, String cookie) {
    List<String> first = versions(proxy, cookie);
    assertThat(versions(proxy, cookie)).isEqualTo(first);
    // An eleventh is expected.
    assertThat(Collections.frequency(first, "new")).isBetween(VISITORS / 40, VISITORS / 5);
    assertThat(Collections.frequency(first, "old"))
        .isEqualTo(VISITORS - Collections.frequency(first, "new"));
  }

  @Test
  void nginxGivesTheNewVersionItsShareUntilItIsTakenOut() throws IOException {
    HttpServer old = node("old");
    HttpServer fresh = node("new");
    String config = nginx(old, fresh);
    try (FrontProxy proxy = FrontProxy.nginx(config, 1)) {
      isShared(proxy, "__Host-fairgate_device");
      String server = "server 127.0.0.1:" + fresh.getAddress().getPort() + " ";
      proxy.reloadNginx(config.replace(server, server + "down "));
      Eventually.await(
          "all visitors are at the old version",
          () -> !versions(proxy, "__Host-fairgate_device").contains("new"));
    } finally {
      old.stop(0);
      fresh.stop(0);
    }
  }

  @Test
  void haproxyGivesTheNewVersionItsShareUntilItStops() throws IOException {
    HttpServer old = node("old");
    HttpServer fresh = node("new");
    String config =
        read("haproxy.cfg", old, fresh)
            .replaceAll("bind :443 .*", "bind 127.0.0.1:\\$PORT0")
            .replace(" send-proxy-v2", "")
            .replace("gt 1000", "gt 50000");
    try (FrontProxy proxy = FrontProxy.haproxy(config, 1)) {
      isShared(proxy, "fairgate_device");
      List<String> before = new ArrayList<>(versions(proxy, "fairgate_device"));
      fresh.stop(0);
      Collections.replaceAll(before, "new", "old");
      Eventually.await(
          "all visitors are at the old version",
          () -> versions(proxy, "fairgate_device").equals(before));
    } finally {
      old.stop(0);
    }
  }
}
