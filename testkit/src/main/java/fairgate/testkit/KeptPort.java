package fairgate.testkit;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.util.concurrent.ThreadLocalRandom;

/// Ports for servers that are restarted on the same port. They are below the range of outgoing
/// connections, so that none of those takes the port meanwhile.
final class KeptPort {
  private static final int FIRST = 15_000;
  private static final int END = 32_000;

  private KeptPort() {}

  /// A port that is free now.
  static int free() {
    while (true) {
      int port = ThreadLocalRandom.current().nextInt(FIRST, END);
      try (ServerSocket _ = new ServerSocket(port, 1, InetAddress.getLoopbackAddress())) {
        return port;
      } catch (IOException _) {
        // The port is in use; try another.
      }
    }
  }
}
