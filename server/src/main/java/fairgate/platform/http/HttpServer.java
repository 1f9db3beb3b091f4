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

/// The running web server: one listener per event loop, all on one port.
public final class HttpServer {
  private static final Logger LOG = LoggerFactory.getLogger(HttpServer.class);

  /// Listeners that ask for one negative port get the same free one; each server asks for its own.
  private static final AtomicInteger ANY_PORT = new AtomicInteger();

  private static final long START_SECONDS = 30;

  private final Kit kit;
  private final List<Listener> listeners = new CopyOnWriteArrayList<>();
  private int port;
  private @Nullable Future<Void> drained;

  private HttpServer(Kit kit) {
    this.kit = kit;
  }

  /// Starts and waits until it listens; never call it on an event loop. Throws
  /// IllegalStateException that says so when the port is taken.
  public static HttpServer start(
      Vertx vertx, HttpConfig config, List<Route> routes, HttpSeams seams) {
    Kit kit = new Kit(seams, withinFiles(config));
    HttpServer server = new HttpServer(kit);
    Router router = new Router(routes, kit.metrics(), seams.guard());
    int asked = config.port() == 0 ? -ANY_PORT.incrementAndGet() : config.port();
    Future<String> deployed =
        vertx.deployVerticle(
            () -> server.listener(router, asked),
            new DeploymentOptions().setInstances(Runtime.getRuntime().availableProcessors()));
    await(deployed, config);
    server.port = server.listeners.getFirst().port();
    return server;
  }

  /// The port it listens on.
  public int port() {
    return port;
  }

  /// Stops: takes no new connections, ends event streams, lets running requests finish for so long,
  /// then closes what is left. The future completes when all is closed; a repeat gives the same.
  public synchronized Future<Void> drain(Duration longest) {
    if (drained == null) {
      drained =
          Future.join(listeners.stream().map(listener -> listener.drain(longest)).toList())
              .onComplete(_ -> kit.blocking().close())
              .mapEmpty();
    }
    return drained;
  }

  /// Each connection is an open file, and the engines and the data need some too.
  private static HttpConfig withinFiles(HttpConfig config) {
    if (!(ManagementFactory.getOperatingSystemMXBean() instanceof UnixOperatingSystemMXBean unix)) {
      return config;
    }
    long files = unix.getMaxFileDescriptorCount();
    int most = Math.clamp(files - files / 4, 1, Integer.MAX_VALUE);
    if (config.maxConnections() > 0 && config.maxConnections() <= most) {
      return config;
    }
    LOG.info("at most {} connections, because {} files may be open", most, files);
    return config.withMaxConnections(most);
  }

  private Listener listener(Router router, int asked) {
    Listener listener = new Listener(kit, router, asked);
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

  /// Native transports have an exception of their own for it.
  private static boolean isTaken(@Nullable Throwable cause) {
    return cause instanceof BindException
        || (cause instanceof IOException && String.valueOf(cause.getMessage()).contains("in use"));
  }

  /// One event loop that listens. Vert.x spreads the port's connections over all of them.
  private static final class Listener extends VerticleBase {
    private static final long SWEEP_MILLIS = 500;

    private final Kit kit;
    private final Router router;
    private final int asked;
    private @Nullable EventLoop loop;
    private io.vertx.core.http.@Nullable HttpServer server;

    Listener(Kit kit, Router router, int asked) {
      this.kit = kit;
      this.router = router;
      this.asked = asked;
    }

    @Override
    public Future<?> start() {
      EventLoop own = new EventLoop(kit, router, context);
      loop = own;
      vertx.setPeriodic(sweepMillis(kit.config()), _ -> own.sweep());
      server =
          vertx
              .createHttpServer(options(kit.config()))
              .connectionHandler(own::connected)
              .requestHandler(own::handle)
              .invalidRequestHandler(own::invalid);
      return server.listen(asked, kit.config().host());
    }

    /// The port listened on, once started.
    int port() {
      return server == null ? -1 : server.actualPort();
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
          .setMaxHeaderSize(config.maxHeaderBytes())
          .setMaxInitialLineLength(config.maxHeaderBytes() / 2)
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
          .setProxyProtocolTimeout(config.receiveTimeout().toMillis())
          .setProxyProtocolTimeoutUnit(TimeUnit.MILLISECONDS)
          .setAcceptBacklog(4096);
    }

    private static long sweepMillis(HttpConfig config) {
      long shortest =
          LongStream.of(
                  config.idleTimeout().toMillis(),
                  config.receiveTimeout().toMillis(),
                  config.heartbeat().toMillis())
              .min()
              .orElse(SWEEP_MILLIS);
      return Math.clamp(shortest / 4, 10, SWEEP_MILLIS);
    }
  }
}
