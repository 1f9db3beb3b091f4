package fairgate.platform.embedded;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ThreadLocalRandom;

/// Finds ports for engines that are restarted on the same port. They are below the range of
/// outgoing connections, so that none of those takes the port meanwhile. A port is reserved until
/// this process ends: other processes that look for one the same way do not get it, although
/// nothing listens on it yet.
public final class FreePort {
  private static final int FIRST = 15_000;
  private static final int END = 32_000;

  /// A loopback address that is used for reservations only. macOS has no such address; there, ports
  /// are not reserved.
  private static final byte[] RESERVATIONS = {127, 77, 77, 77};

  private static final Queue<ServerSocket> RESERVED = new ConcurrentLinkedQueue<>();

  private FreePort() {}

  /// A port of the loopback address that is free now.
  public static int find() {
    while (true) {
      int port = ThreadLocalRandom.current().nextInt(FIRST, END);
      try (ServerSocket _ = new ServerSocket(port, 1, InetAddress.getLoopbackAddress())) {
        if (reserve(port)) {
          return port;
        }
      } catch (IOException _) {
        // The port is in use; try another.
      }
    }
  }

  private static boolean reserve(int port) {
    try {
      RESERVED.add(new ServerSocket(port, 1, InetAddress.getByAddress(RESERVATIONS)));
      return true;
    } catch (IOException e) {
      return System.getProperty("os.name", "").startsWith("Mac");
    }
  }
}
