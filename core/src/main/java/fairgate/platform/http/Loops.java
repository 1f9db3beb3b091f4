package fairgate.platform.http;

import io.vertx.core.Vertx;
import io.vertx.core.VertxOptions;
import io.vertx.core.file.FileSystemOptions;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Creates Vert.x instances that use the native transport (epoll, kqueue) where available.
public final class Loops {
  private static final Logger LOG = LoggerFactory.getLogger(Loops.class);

  private Loops() {}

  /// A new Vert.x with one event loop per core. The caller closes it.
  public static Vertx vertx() {
    return vertx(Runtime.getRuntime().availableProcessors());
  }

  /// A new Vert.x with this number of event loops. The caller closes it.
  public static Vertx vertx(int loops) {
    Vertx vertx =
        Vertx.vertx(
            new VertxOptions()
                .setPreferNativeTransport(true)
                .setEventLoopPoolSize(loops)
                .setFileSystemOptions(
                    new FileSystemOptions()
                        .setClassPathResolvingEnabled(false)
                        .setFileCachingEnabled(false)));
    LOG.debug(
        "{} event loops on {} transport",
        loops,
        vertx.isNativeTransportEnabled() ? "native" : "NIO");
    return vertx;
  }
}
