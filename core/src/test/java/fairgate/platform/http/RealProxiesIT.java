package fairgate.platform.http;

import static org.assertj.core.api.Assertions.assertThat;

import fairgate.kernel.AddressBlock;
import fairgate.platform.http.stream.Forwarding.Proxies;
import fairgate.testkit.FrontProxy;
import io.vertx.core.Future;
import java.io.IOException;
import java.net.InetAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/// Clients behind Debian's nginx and HAProxy. On Linux all addresses of 127.0.0.0/8 are local: the
/// proxies connect to the server from 127.0.0.2, the clients connect from 127.0.0.9.
class RealProxiesIT {
  private static final String CLIENT = "127.0.0.9";
  private static final Route WHO =
      Route.get("/who", r -> Future.succeededFuture(Reply.text(200, r.clientAddress())));

  private static TestServer xForwardedFor;
  private static TestServer forwarded;
  private static TestServer proxyProtocol;
  private static FrontProxy nginx;
  private static FrontProxy haproxy;

  private static TestServer server(Proxies.Header header, boolean protocol) {
    AddressBlock proxy = Objects.requireNonNull(AddressBlock.parse("127.0.0.2"));
    return TestServer.of(
        HttpConfig.defaults().withProxies(new Proxies(List.of(proxy), header, protocol)), WHO);
  }

  @BeforeAll
  static void start() {
    xForwardedFor = server(Proxies.Header.X_FORWARDED_FOR, false);
    forwarded = server(Proxies.Header.FORWARDED, false);
    proxyProtocol = server(Proxies.Header.X_FORWARDED_FOR, true);
    nginx =
        FrontProxy.nginx(
            """
            proxy_bind 127.0.0.2;
            proxy_http_version 1.1;
            server {
              listen 127.0.0.1:$PORT0;
              location / {
                proxy_set_header X-Forwarded-For $proxy_add_x_forwarded_for;
                proxy_pass http://127.0.0.1:$XFF;
              }
            }
            server {
              listen 127.0.0.1:$PORT1;
              location / {
                proxy_set_header Forwarded "$http_forwarded, for=$remote_addr";
                proxy_pass http://127.0.0.1:$FWD;
              }
            }
            """
                .replace("$XFF", Integer.toString(xForwardedFor.port()))
                .replace("$FWD", Integer.toString(forwarded.port())),
            2);
    haproxy = FrontProxy.haproxy(haproxyConfig(), 4);
  }

  private static String haproxyConfig() {
    return """
    frontend one
      bind 127.0.0.1:$PORT0
      option forwardfor
      default_backend one
    backend one
      source 127.0.0.2
      server one 127.0.0.1:$XFF
    frontend two
      bind 127.0.0.1:$PORT1
      http-request add-header Forwarded for=%[src]
      default_backend two
    backend two
      source 127.0.0.2
      server two 127.0.0.1:$FWD
    frontend three
      bind 127.0.0.1:$PORT2
      mode tcp
      default_backend three
    backend three
      mode tcp
      source 127.0.0.2
      server three 127.0.0.1:$PP send-proxy-v2
    frontend four
      bind 127.0.0.1:$PORT3
      option forwardfor
      default_backend four
    backend four
      source 127.0.0.2
      server four 127.0.0.1:$NGINX
    """
        .replace("$XFF", Integer.toString(xForwardedFor.port()))
        .replace("$FWD", Integer.toString(forwarded.port()))
        .replace("$PP", Integer.toString(proxyProtocol.port()))
        .replace("$NGINX", Integer.toString(nginx.port(0)));
  }

  @AfterAll
  static void stop() {
    haproxy.close();
    nginx.close();
    proxyProtocol.close();
    forwarded.close();
    xForwardedFor.close();
  }

  /// The client address that the server sees for a client at 127.0.0.9 with these headers.
  private static String who(int port, String... headers) {
    HttpRequest.Builder request =
        HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + "/who"))
            .timeout(Duration.ofSeconds(20));
    if (headers.length > 0) {
      request.headers(headers);
    }
    try (HttpClient client =
        HttpClient.newBuilder()
            .version(HttpClient.Version.HTTP_1_1)
            .localAddress(InetAddress.ofLiteral(CLIENT))
            .build()) {
      return client.send(request.build(), HttpResponse.BodyHandlers.ofString()).body();
    } catch (IOException e) {
      throw new IllegalStateException(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException(e);
    }
  }

  private static void nobodyIsFooled(int port, String header, String... forgeries) {
    assertThat(who(port)).isEqualTo(CLIENT);
    for (String forged : forgeries) {
      assertThat(who(port, header, forged)).as(forged).isEqualTo(CLIENT);
    }
    assertThat(who(port, header, forgeries[0], header, forgeries[1])).isEqualTo(CLIENT);
  }

  @Test
  void behindNginx() {
    nobodyIsFooled(
        nginx.port(0),
        "X-Forwarded-For",
        "198.51.100.1",
        "127.0.0.2",
        "198.51.100.1, 127.0.0.2",
        "unknown",
        "::1, ,");
    assertThat(who(nginx.port(0), "Forwarded", "for=198.51.100.1")).isEqualTo(CLIENT);
    nobodyIsFooled(
        nginx.port(1),
        "Forwarded",
        "for=198.51.100.1",
        "for=127.0.0.2",
        "for=\"198.51.100.1",
        "for=198.51.100.1;host=\"",
        "for=\"\\");
    assertThat(who(nginx.port(1), "X-Forwarded-For", "198.51.100.1")).isEqualTo(CLIENT);
  }

  @Test
  void behindHaproxy() {
    nobodyIsFooled(
        haproxy.port(0), "X-Forwarded-For", "198.51.100.1", "127.0.0.2", "198.51.100.1, 127.0.0.2");
    nobodyIsFooled(
        haproxy.port(1), "Forwarded", "for=198.51.100.1", "for=\"198.51.100.1", "for=127.0.0.2");
  }

  @Test
  void behindHaproxysProxyProtocol() {
    nobodyIsFooled(
        haproxy.port(2), "X-Forwarded-For", "198.51.100.1", "127.0.0.2", "198.51.100.1, 127.0.0.2");
  }

  @Test
  void behindHaproxyBehindNginx() {
    nobodyIsFooled(
        haproxy.port(3), "X-Forwarded-For", "198.51.100.1", "127.0.0.2", "198.51.100.1, 127.0.0.2");
  }

  @Test
  void withoutAProxyHeadersAreNotRead() {
    assertThat(who(xForwardedFor.port(), "X-Forwarded-For", "198.51.100.1")).isEqualTo(CLIENT);
    assertThat(who(forwarded.port(), "Forwarded", "for=198.51.100.1")).isEqualTo(CLIENT);
  }
}
