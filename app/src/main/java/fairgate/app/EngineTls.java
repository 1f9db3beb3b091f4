package fairgate.app;

import fairgate.app.command.StartFailed;
import fairgate.app.config.FairgateConfig;
import fairgate.kernel.ServiceUnavailable;
import fairgate.platform.postgres.PostgresSettings;
import fairgate.platform.postgres.PostgresSettings.Mode;
import fairgate.platform.redis.RedisSettings;
import fairgate.platform.run.EngineWait;
import fairgate.platform.tls.TlsPeer;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import java.net.URI;
import java.time.ZoneOffset;
import java.util.function.Supplier;

/// The encryption of the connections to the engines, in words for `doctor`. Each call opens a
/// connection of its own; in a cluster, to the node of `redis.url`.
final class EngineTls {
  private static final int REDIS_PORT = 6379;

  private EngineTls() {}

  /// Such as `TLSv1.3, certificate until 2027-01-31`, or `not encrypted`. Throws StartFailed.
  static String redis(Vertx vertx, FairgateConfig config) {
    RedisSettings settings = EngineAddresses.redis(config.stores().redis());
    if (!settings.isEncrypted()) {
      return "not encrypted";
    }
    URI uri = URI.create(settings.uri());
    int port = uri.getPort() < 0 ? REDIS_PORT : uri.getPort();
    return words(
        config.stores().engines().engineWait(),
        () -> TlsPeer.direct(vertx, uri.getHost(), port, settings.tls()));
  }

  /// As for Redis.
  static String postgres(Vertx vertx, FairgateConfig config) {
    PostgresSettings settings = EngineAddresses.external(config).postgres();
    Mode mode = settings.encryption().mode();
    if (mode == Mode.DISABLE) {
      return "not encrypted";
    }
    boolean verify = mode == Mode.VERIFY_FULL;
    String words =
        words(
            config.stores().engines().engineWait(),
            () ->
                TlsPeer.postgres(
                    vertx,
                    settings.host(),
                    settings.port(),
                    settings.encryption().files(),
                    verify));
    return verify ? words : words + " (not verified)";
  }

  private static String words(EngineWait engineWait, Supplier<Future<TlsPeer>> ask) {
    try {
      TlsPeer peer =
          engineWait.answer(
              () ->
                  ask.get()
                      .recover(
                          e -> Future.failedFuture(new StartFailed("TLS: " + e.getMessage()))));
      return "%s, certificate until %s"
          .formatted(peer.protocol(), peer.expires().atZone(ZoneOffset.UTC).toLocalDate());
    } catch (ServiceUnavailable e) {
      throw new StartFailed("no answer: " + e.getMessage());
    }
  }
}
