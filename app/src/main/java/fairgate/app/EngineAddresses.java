package fairgate.app;

import fairgate.app.config.FairgateConfig;
import fairgate.platform.embedded.EmbeddedEngines;
import fairgate.platform.embedded.PostgresAddress;
import fairgate.platform.postgres.PostgresSettings;
import fairgate.platform.postgres.PostgresSettings.Encryption;
import fairgate.platform.postgres.PostgresSettings.Mode;
import fairgate.platform.redis.RedisSettings;
import java.net.URI;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/// The addresses of Redis and PostgreSQL, embedded or external.
public record EngineAddresses(RedisSettings redis, PostgresSettings postgres) {
  private static final int POSTGRES_PORT = 5432;

  /// The embedded engines of `up`.
  static EngineAddresses embedded(EmbeddedEngines engines, FairgateConfig config) {
    return new EngineAddresses(
        RedisSettings.of(engines.redisUri()), settings(engines.postgres(), config));
  }

  /// Connection settings of an embedded PostgreSQL.
  static PostgresSettings settings(PostgresAddress postgres, FairgateConfig config) {
    return new PostgresSettings(
        postgres.host(),
        postgres.port(),
        postgres.user(),
        postgres.password(),
        postgres.database(),
        config.stores().database().poolSize());
  }

  /// The external engines of `serve`.
  ///
  /// @param config must have passed `ServeChecks`
  static EngineAddresses external(FairgateConfig config) {
    URI database = URI.create(config.stores().database().url().expose());
    String[] user = String.valueOf(database.getRawUserInfo()).split(":", 2);
    return new EngineAddresses(
        redis(config.stores().redis()),
        new PostgresSettings(
            database.getHost(),
            database.getPort() < 0 ? POSTGRES_PORT : database.getPort(),
            decode(user[0]),
            decode(user[1]),
            database.getPath().substring(1),
            config.stores().database().poolSize(),
            encryption(database, config.stores().database())));
  }

  private static Encryption encryption(URI url, FairgateConfig.Database database) {
    String query = String.valueOf(url.getQuery());
    return Arrays.stream(Mode.values())
        .filter(mode -> query.equals("sslmode=" + mode.word()))
        .findFirst()
        .map(mode -> new Encryption(mode, database.tls().files()))
        .orElse(Encryption.NONE);
  }

  /// Connection settings of the Redis of `serve`.
  static RedisSettings redis(FairgateConfig.Redis redis) {
    String url = redis.url().expose();
    RedisSettings settings =
        redis.cluster() ? RedisSettings.cluster(url, redis.nodes()) : RedisSettings.of(url);
    return settings.with(redis.tls().files()).replicated(redis.replicated());
  }

  private static String decode(String part) {
    return URLDecoder.decode(part.replace("+", "%2B"), StandardCharsets.UTF_8);
  }
}
