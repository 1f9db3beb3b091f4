package fairgate.testkit;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.util.concurrent.ThreadLocalRandom;

/// Ports for servers that die and come back to the same one: below those that outgoing connections
/// are given, so that nobody takes them meanwhile by chance.
final class KeptPort {
  private static final int FIRST = 15_000;
  private static final int END = 32_000;

  private KeptPort() {}

  /// One on which nobody listens now.
  static int free() {
    while (true) {
      int port = ThreadLocalRandom.current().nextInt(FIRST, END);
      try (ServerSocket _ = new ServerSocket(port, 1, InetAddress.getLoopbackAddress())) {
        return port;
      } catch (IOException _) {
        // Somebody listens there: another one.
      }
    }
  }
}
