package fairgate.sale.payment;

import fairgate.testkit.KeptPort;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;

/// One real Redis for the whole test run, on a free loopback port, fsync on every write.
final class LocalRedis {
  private static final LocalRedis SHARED = start();

  private final int port;

  private LocalRedis(int port) {
    this.port = port;
  }

  static String uri() {
    return "redis://127.0.0.1:" + SHARED.port;
  }

  private static LocalRedis start() {
    try {
      Path folder = Files.createTempDirectory("payment-redis");
      Path binary = folder.resolve("redis-server");
      try (InputStream in =
          LocalRedis.class.getResourceAsStream("/redis-server-7.0.15-linux-amd64")) {
        if (in == null) {
          throw new IllegalStateException("no redis-server on the class path");
        }
        Files.copy(in, binary);
      }
      if (!binary.toFile().setExecutable(true)) {
        throw new IllegalStateException("cannot make redis-server executable");
      }
      int port = KeptPort.free();
      Process process =
          new ProcessBuilder(
                  binary.toString(),
                  "--port",
                  Integer.toString(port),
                  "--bind",
                  "127.0.0.1",
                  "--save",
                  "",
                  "--appendonly",
                  "yes",
                  "--appendfsync",
                  "always",
                  "--dir",
                  folder.toString())
              .redirectErrorStream(true)
              .redirectOutput(folder.resolve("log").toFile())
              .start();
      Runtime.getRuntime().addShutdownHook(new Thread(process::destroyForcibly));
      awaitPort(process, port);
      return new LocalRedis(port);
    } catch (IOException | InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  private static void awaitPort(Process process, int port)
      throws IOException, InterruptedException {
    for (int i = 0; i < 200; i++) {
      try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
        if (socket.isConnected()) {
          return;
        }
      } catch (IOException e) {
        if (process.waitFor(25, TimeUnit.MILLISECONDS)) {
          throw new IOException("redis ended with " + process.exitValue(), e);
        }
      }
    }
    throw new IOException("redis does not listen");
  }
}
