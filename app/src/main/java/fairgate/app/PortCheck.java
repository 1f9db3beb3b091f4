package fairgate.app;

import fairgate.app.command.StartFailed;
import fairgate.app.config.FairgateConfig;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.UnknownHostException;

/// Checks that the ports are available, before anything else starts.
final class PortCheck {
  private PortCheck() {}

  /// @throws StartFailed in one line when somebody else listens there, or nobody may
  static void check(FairgateConfig.Server server) {
    int port = server.port();
    int other = port < 65_535 ? port + 1 : 8080;
    check(server.host(), port, "--port, for example --port " + other);
    if (server.hasAdminPort()) {
      check(server.host(), server.adminPort(), "server.admin_port");
    }
  }

  private static void check(String host, int port, String setting) {
    try (ServerSocket socket = new ServerSocket()) {
      socket.setReuseAddress(true);
      socket.bind(new InetSocketAddress(InetAddress.getByName(host), port));
    } catch (UnknownHostException _) {
      throw new StartFailed("There is no address " + host + " to listen on (server.host).");
    } catch (IOException e) {
      throw new StartFailed(
          "Port %d of %s cannot be had (%s); choose another with %s."
              .formatted(port, host, e.getMessage(), setting));
    }
  }
}
