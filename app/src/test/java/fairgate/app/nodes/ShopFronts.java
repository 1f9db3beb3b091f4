package fairgate.app.nodes;

import static org.assertj.core.api.Assertions.assertThat;

import fairgate.testkit.FrontProxy;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/// The shipped proxy configurations in front of two nodes, with the operator's own values replaced:
/// addresses, certificates, and the limits of requests and connections by address, because one
/// machine sends all.
enum ShopFronts {
  NGINX {
    @Override
    FrontProxy start(List<Integer> ports) throws IOException {
      return FrontProxy.nginx(config(ports), 1);
    }

    @Override
    void withdraw(FrontProxy proxy, List<Integer> ports, int port) throws IOException {
      String server = "server 127.0.0.1:" + port;
      proxy.reloadNginx(replaced(config(ports), server + " ", server + " down "));
    }

    @Override
    void putBack(FrontProxy proxy, List<Integer> ports) throws IOException {
      proxy.reloadNginx(config(ports));
    }

    private static String config(List<Integer> ports) throws IOException {
      String config = read("nginx/fairgate.conf");
      for (int i = 0; i < ports.size(); i++) {
        config = replaced(config, "10.0.0.1" + (i + 1) + ":8080", "127.0.0.1:" + ports.get(i));
      }
      config = config.replaceAll("(?m)^ *server 10\\.0\\.0\\.\\d+:8080.*\n", "");
      config = replaced(config, "listen 443 ssl http2;", "listen 127.0.0.1:$PORT0;");
      config = replaced(config, "rate=50r/s", "rate=50000r/s");
      config = replaced(config, "burst=200 ", "burst=20000 ");
      config = replaced(config, "fairgate_open 1000", "fairgate_open 50000");
      return config
          .lines()
          .filter(line -> !line.strip().startsWith("ssl_certificate"))
          .collect(Collectors.joining("\n", "", "\n"));
    }
  },
  HAPROXY {
    @Override
    FrontProxy start(List<Integer> ports) throws IOException {
      String config = read("haproxy.cfg");
      for (int i = 0; i < ports.size(); i++) {
        config = replaced(config, "10.0.0.1" + (i + 1) + ":8080", "127.0.0.1:" + ports.get(i));
      }
      config = config.replaceAll("bind :443 .*", "bind 127.0.0.1:\\$PORT0");
      return FrontProxy.haproxy(replaced(config, "gt 1000", "gt 50000"), 1);
    }

    @Override
    Map<String, String> settings() {
      return Map.of("server.trusted_proxies", "127.0.0.1", "server.proxy_protocol", "on");
    }

    @Override
    String preamble() {
      return "PROXY TCP4 127.0.0.1 127.0.0.1 40000 8080\r\n";
    }
  },
  CADDY {
    @Override
    FrontProxy start(List<Integer> ports) throws IOException {
      String all =
          IntStream.range(0, ports.size())
              .mapToObj(i -> "127.0.0.1:" + ports.get(i))
              .collect(Collectors.joining(" "));
      String config = read("Caddyfile");
      config = replaced(config, "tickets.example.com {", "http://:$PORT0 {");
      return FrontProxy.caddy(replaced(config, "10.0.0.11:8080 10.0.0.12:8080", all), 1);
    }
  };

  private static final Path DEPLOY = Path.of("../deploy");

  abstract FrontProxy start(List<Integer> ports) throws IOException;

  /// What an operator does at the proxy before a node is stopped. A proxy with health checks
  /// notices by itself.
  void withdraw(FrontProxy proxy, List<Integer> ports, int port) throws IOException {}

  /// What an operator does at the proxy when the node is ready again.
  void putBack(FrontProxy proxy, List<Integer> ports) throws IOException {}

  /// The settings of nodes behind this proxy.
  Map<String, String> settings() {
    return Map.of("server.trusted_proxies", "127.0.0.1");
  }

  /// The first bytes of a connection to a node behind this proxy.
  String preamble() {
    return "";
  }

  private static String read(String name) throws IOException {
    return Files.readString(DEPLOY.resolve(name));
  }

  private static String replaced(String config, String one, String other) {
    assertThat(config).contains(one);
    return config.replace(one, other);
  }
}
