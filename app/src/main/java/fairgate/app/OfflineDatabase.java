package fairgate.app;

import fairgate.app.command.StartFailed;
import fairgate.app.config.FairgateConfig;
import fairgate.platform.embedded.EmbeddedEngines;
import fairgate.platform.embedded.EngineOptions;
import fairgate.platform.embedded.PostgresAddress;
import fairgate.platform.postgres.PostgresDatabase;
import fairgate.platform.postgres.PostgresSettings;
import fairgate.platform.redis.RedisSettings;
import io.vertx.core.Vertx;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/// The database of a server, for commands that work without the server: that of DATABASE_URL, or
/// the data of `up`, running or not.
final class OfflineDatabase {
  private static final long CALL_TIMEOUT_SECONDS = 10;

  private OfflineDatabase() {}

  /// The work of a command; it returns the exit code.
  @FunctionalInterface
  interface Work {
    int run(PostgresDatabase database) throws IOException;
  }

  /// The work of a command on both engines; it returns the exit code.
  @FunctionalInterface
  interface EnginesWork {
    int run(EngineAddresses engines) throws IOException;
  }

  /// Settings from the command line, for `ConfigOption.read`.
  static Map<String, String> options(@Nullable Path data) {
    Map<String, String> options = new LinkedHashMap<>();
    if (data != null) {
      options.put("data_dir", data.toString());
    }
    return options;
  }

  /// Whether the data of `up` is used; its folder then exists. Throws StartFailed when it does not.
  static Optional<Path> folder(FairgateConfig settings) {
    if (!settings.stores().database().url().isEmpty()) {
      return Optional.empty();
    }
    Path folder = settings.dataDir().toAbsolutePath().normalize();
    if (!Files.isDirectory(folder.resolve("engines"))) {
      throw new StartFailed("there is no data in " + folder + "; name it with --data");
    }
    return Optional.of(folder);
  }

  /// Opens the database, starting the engines of `up` if they do not run, and closes it after the
  /// work.
  static int use(FairgateConfig settings, Work work) throws IOException {
    return engines(settings, addresses -> use(addresses.postgres(), work));
  }

  /// Runs the work on the engines of the settings, starting those of `up` if they do not run.
  static int engines(FairgateConfig settings, EnginesWork work) throws IOException {
    Optional<Path> folder = folder(settings);
    if (folder.isEmpty()) {
      return work.run(EngineAddresses.external(settings));
    }
    Optional<PostgresAddress> running = EmbeddedEngines.running(folder.get());
    Optional<String> redis = EmbeddedEngines.runningRedis(folder.get());
    if (running.isPresent() && redis.isPresent()) {
      return work.run(
          new EngineAddresses(
              RedisSettings.of(redis.get()), EngineAddresses.settings(running.get(), settings)));
    }
    try (EmbeddedEngines engines = EmbeddedEngines.start(folder.get(), EngineOptions.durable())) {
      return work.run(EngineAddresses.embedded(engines, settings));
    }
  }

  private static int use(PostgresSettings postgres, Work work) throws IOException {
    Vertx vertx = Vertx.vertx();
    try (PostgresDatabase database = PostgresDatabase.open(vertx, postgres)) {
      return work.run(database);
    } finally {
      close(vertx);
    }
  }

  private static void close(Vertx vertx) {
    try {
      Void _ = vertx.close().await(CALL_TIMEOUT_SECONDS, TimeUnit.SECONDS);
    } catch (TimeoutException e) {
      throw new StartFailed("a connection did not close in time");
    }
  }
}
