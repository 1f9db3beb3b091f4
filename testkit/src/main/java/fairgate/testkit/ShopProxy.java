package fairgate.testkit;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Collectors;

/// The proxies before a foreign shop, each with the shipped configuration of `deploy/room`.
public enum ShopProxy {
  NGINX,
  CADDY,
  HAPROXY;

  private static final Path CONFIGURATIONS = Path.of("../deploy/room");

  /// Starts the proxy without TLS.
  ///
  /// @param fairgate port of the server that it asks
  /// @param shop port of the shop
  public FrontProxy start(int fairgate, int shop) {
    return switch (this) {
      case NGINX ->
          FrontProxy.nginx(
              read("nginx.conf", fairgate, shop)
                  .replace("listen 443 ssl http2;", "listen 127.0.0.1:$PORT0;")
                  .lines()
                  .filter(line -> !line.strip().startsWith("ssl_certificate"))
                  .collect(Collectors.joining("\n", "", "\n")),
              1);
      case CADDY ->
          FrontProxy.caddy(
              read("Caddyfile", fairgate, shop)
                  .replace("shop.example.com {", "http://shop.example.com:$PORT0 {"),
              1);
      case HAPROXY ->
          FrontProxy.haproxy(
              read("haproxy.cfg", fairgate, shop)
                  .replaceAll("bind :443 .*", "bind 127.0.0.1:\\$PORT0")
                  .replace(
                      "/etc/haproxy/fairgate.lua",
                      CONFIGURATIONS
                          .resolve("fairgate.lua")
                          .toAbsolutePath()
                          .normalize()
                          .toString()),
              1);
    };
  }

  private static String read(String file, int fairgate, int shop) {
    try {
      return Files.readString(CONFIGURATIONS.resolve(file))
          .replace("127.0.0.1:8080", "127.0.0.1:" + fairgate)
          .replace("127.0.0.1:9000", "127.0.0.1:" + shop);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
