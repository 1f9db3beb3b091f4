package fairgate.platform.http;

import com.sun.management.UnixOperatingSystemMXBean;
import io.vertx.core.DeploymentOptions;
import io.vertx.core.Future;
import io.vertx.core.VerticleBase;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpServerOptions;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.net.BindException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.LongStream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// A running web server with one listener per event loop, all on one port.
public final class HttpServer {
  private static final Logger LOG = LoggerFactory.getLogger(HttpServer.class);

  /// Vert.x gives listeners with the same negative port the same free port. Each server uses a
  /// negative number of its own.
  private static final AtomicInteger ANY_PORT = new AtomicInteger();

  private static final long START_SECONDS = 30;

  private final HttpServerContext serverContext;
  private final List<Listener> listeners = new CopyOnWriteArrayList<>();
  private int port;
  private @Nullable Future<Void> drained;

  private HttpServer(HttpServerContext serverContext) {
    this.serverContext = serverContext;
  }

  /// Starts the server and waits until it listens. Must not be called on an event loop. Throws
  /// IllegalStateException with the address when the port is in use.
  public static HttpServer start(
      Vertx vertx, HttpConfig config, List<Route> routes, HttpDependencies seams) {
    HttpServerContext serverContext = new HttpServerContext(seams, withinFiles(config));
    HttpServer server = new HttpServer(serverContext);
    server.port = server.listen(vertx, config, routes, seams);
    return server;
  }

  /// Serves other routes on another port of the same address, which is drained together with the
  /// first one. Waits like `start`, and returns the port.
  ///
  /// @param config as at the start, with the other port
  /// @param seams as at the start
  public int serve(Vertx vertx, HttpConfig config, List<Route> routes, HttpDependencies seams) {
    return listen(vertx, config, routes, seams);
  }

  private int listen(Vertx vertx, HttpConfig config, List<Route> routes, HttpDependencies seams) {
    Router router = new Router(routes, serverContext.metrics(), seams.guard());
    int requestedPort = config.port() == 0 ? -ANY_PORT.incrementAndGet() : config.port();
    int first = listeners.size();
    Future<String> deployed =
        vertx.deployVerticle(
            () -> listener(router, requestedPort),
            new DeploymentOptions().setInstances(Runtime.getRuntime().availableProcessors()));
    await(deployed, config);
    return listeners.get(first).port();
  }

  public int port() {
    return port;
  }

  /// Prepares the stop: still serves everything, but each reply closes its connection, so that
  /// proxies keep none to a server that is about to end.
  public void leave() {
    listeners.forEach(Listener::leave);
  }

  /// Stops the server: refuses new connections, ends event streams, lets running requests finish
  /// for up to `longest`, then closes the remaining connections. The future completes when all are
  /// closed; a repeat returns the same future.
  public synchronized Future<Void> drain(Duration longest) {
    if (drained == null) {
      drained =
          Future.join(listeners.stream().map(listener -> listener.drain(longest)).toList())
              .onComplete(_ -> serverContext.blocking().close())
              .mapEmpty();
    }
    return drained;
  }

  /// Limits the connections to three quarters of the open files that the process may have: each
  /// connection is an open file, and so are data files and connections to Redis and PostgreSQL.
  private static HttpConfig withinFiles(HttpConfig config) {
    if (!(ManagementFactory.getOperatingSystemMXBean() instanceof UnixOperatingSystemMXBean unix)) {
      return config;
    }
    long files = unix.getMaxFileDescriptorCount();
    int limit = Math.clamp(files - files / 4, 1, Integer.MAX_VALUE);
    if (config.maxConnections() > 0 && config.maxConnections() <= limit) {
      return config;
    }
    LOG.info("Limiting connections; maxConnections={} openFiles={}", limit, files);
    return config.withMaxConnections(limit);
  }

  private Listener listener(Router router, int requestedPort) {
    Listener listener = new Listener(serverContext, router, requestedPort);
    listeners.add(listener);
    return listener;
  }

  private static void await(Future<String> deployed, HttpConfig config) {
    String address = config.host() + ":" + config.port();
    try {
      String _ =
          deployed.toCompletionStage().toCompletableFuture().get(START_SECONDS, TimeUnit.SECONDS);
    } catch (ExecutionException e) {
      boolean taken = isTaken(e.getCause());
      throw new IllegalStateException(
          taken
              ? address + " is taken by another program, or is not an address of this machine"
              : "cannot listen on " + address,
          e.getCause());
    } catch (TimeoutException e) {
      throw new IllegalStateException("cannot listen on " + address, e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException("interrupted while starting", e);
    }
  }

  /// Native transports throw an exception of their own for a port in use.
  private static boolean isTaken(@Nullable Throwable cause) {
    return cause instanceof BindException
        || (cause instanceof IOException && String.valueOf(cause.getMessage()).contains("in use"));
  }

  /// The listener of one event loop. Vert.x distributes connections over all listeners.
  private static final class Listener extends VerticleBase {
    private static final long SWEEP_MILLIS = 500;

    private final HttpServerContext serverContext;
    private final Router router;
    private final int requestedPort;
    private @Nullable EventLoop loop;
    private io.vertx.core.http.@Nullable HttpServer server;

    Listener(HttpServerContext serverContext, Router router, int requestedPort) {
      this.serverContext = serverContext;
      this.router = router;
      this.requestedPort = requestedPort;
    }

    @Override
    public Future<?> start() {
      HttpServerOptions options = options(serverContext.config());
      EventLoop own = new EventLoop(serverContext, router, context, options);
      loop = own;
      vertx.setPeriodic(sweepMillis(serverContext.config()), _ -> own.sweep());
      server =
          vertx
              .createHttpServer(options)
              .connectionHandler(own::connected)
              .requestHandler(own::handle)
              .invalidRequestHandler(own::invalid);
      return server.listen(requestedPort, serverContext.config().host());
    }

    /// The port of the listener; -1 before the start.
    int port() {
      return server == null ? -1 : server.actualPort();
    }

    void leave() {
      EventLoop own = loop;
      if (own != null) {
        own.run(own::leave);
      }
    }

    Future<Void> drain(Duration longest) {
      EventLoop own = loop;
      io.vertx.core.http.HttpServer running = server;
      if (own == null || running == null) {
        return Future.succeededFuture();
      }
      own.run(own::drain);
      return running.shutdown(longest.toMillis(), TimeUnit.MILLISECONDS);
    }

    private static HttpServerOptions options(HttpConfig config) {
      return new HttpServerOptions()
          .setMaxHeaderSize(HttpConfig.MAX_HEADER_BYTES)
          // Beyond the longest target, so that the fields behind it are read: they have the
          // language.
          .setMaxInitialLineLength(HttpConfig.MAX_HEADER_BYTES)
          .setMaxChunkSize(16 * 1024)
          .setHttp2ClearTextEnabled(false)
          .setCompressionSupported(false)
          .setDecompressionSupported(false)
          .setPerMessageWebSocketCompressionSupported(false)
          .setPerFrameWebSocketCompressionSupported(false)
          .setTcpNoDelay(true)
          .setTcpKeepAlive(true)
          .setReuseAddress(true)
          .setUseProxyProtocol(config.proxies().proxyProtocol())
          .setProxyProtocolTimeout(config.timeouts().receive().toMillis())
          .setProxyProtocolTimeoutUnit(TimeUnit.MILLISECONDS)
          .setAcceptBacklog(4096);
    }

    private static long sweepMillis(HttpConfig config) {
      long shortest =
          LongStream.of(
                  config.timeouts().idle().toMillis(),
                  config.timeouts().receive().toMillis(),
                  config.timeouts().heartbeat().toMillis())
              .min()
              .orElse(SWEEP_MILLIS);
      return Math.clamp(shortest / 4, 10, SWEEP_MILLIS);
    }
  }
}
