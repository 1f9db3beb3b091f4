package fairgate.testkit;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;

/// A server that sends every file one byte at a time: a client without a limit for the whole of a
/// file waits for twenty seconds.
public final class DrippingServer implements AutoCloseable {
  private static final int LENGTH = 400;
  private static final int PAUSE_MS = 50;

  private final CountDownLatch closed = new CountDownLatch(1);
  private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
  private final HttpServer server;

  public DrippingServer() throws IOException {
    server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    server.setExecutor(threads);
    server.createContext("/", this::drip);
    server.start();
  }

  private void drip(HttpExchange exchange) throws IOException {
    try (exchange) {
      exchange.sendResponseHeaders(200, LENGTH);
      OutputStream body = exchange.getResponseBody();
      for (int i = 0; i < LENGTH; i++) {
        body.write(' ');
        body.flush();
        if (closed.await(PAUSE_MS, TimeUnit.MILLISECONDS)) {
          return;
        }
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /// The address, without a slash at its end.
  public String url() {
    return "http://127.0.0.1:" + server.getAddress().getPort();
  }

  @Override
  public void close() {
    closed.countDown();
    server.stop(0);
    threads.close();
  }
}
