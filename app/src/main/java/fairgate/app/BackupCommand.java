package fairgate.app;

import fairgate.app.backup.Backup;
import fairgate.app.command.ConfigOption;
import fairgate.app.command.StartFailed;
import fairgate.app.config.FairgateConfig;
import fairgate.app.config.StoredKeys;
import fairgate.kernel.ServiceUnavailable;
import fairgate.platform.http.Loops;
import fairgate.platform.redis.RedisClient;
import fairgate.platform.redis.RedisSettings;
import fairgate.platform.run.EngineWait;
import io.vertx.core.Vertx;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.time.Clock;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/// Writes a backup.
@Command(
    name = "backup",
    description = {
      "Writes a backup into a file.",
      "It has all of PostgreSQL at one instant, and the events of sales that are only in Redis at",
      "that instant. Servers may run. On REDIS_URL and DATABASE_URL, or on the data of `up`. The",
      "master secret and the operator token are included only if FAIRGATE_BACKUP_PASSPHRASE is set,",
      "and encrypted with it. FILE contains personal data: encrypt it before it leaves the machine.",
      "Places in queues are not included."
    })
final class BackupCommand implements Callable<Integer> {
  /// The environment variable with the passphrase of the secrets.
  static final String PASSPHRASE = "FAIRGATE_BACKUP_PASSPHRASE";

  /// The names of the files in `secrets` of the data of `up`.
  static final String MASTER = "master-secret";

  static final String TOKEN = "operator-token";

  private static final int SHORTEST_PASSPHRASE = 12;

  @Spec private @Nullable CommandSpec spec;

  @Mixin private final ConfigOption config = new ConfigOption();

  @Option(names = "--data", paramLabel = "DIR", description = "Default: ./data.")
  private @Nullable Path data;

  @Option(
      names = "--without-redis",
      description = "Leaves out events that are only in Redis, for example when Redis is lost.")
  private boolean withoutRedis;

  @Parameters(paramLabel = "FILE", description = "The new file; an existing one is replaced.")
  private @Nullable Path file;

  @Override
  public Integer call() throws IOException {
    FairgateConfig settings = FairgateConfig.of(config.read(OfflineDatabase.options(data)));
    String passphrase = passphrase();
    Map<String, String> secrets = passphrase.isEmpty() ? Map.of() : secrets(settings);
    EngineWait engineWait = settings.stores().engines().engineWait();
    return OfflineDatabase.engines(
        settings, engines -> write(engines, secrets, passphrase, engineWait));
  }

  /// The passphrase for the secrets of a backup; empty for none.
  static String passphrase() {
    String passphrase = Objects.requireNonNullElse(System.getenv(PASSPHRASE), "");
    if (!passphrase.isEmpty() && passphrase.length() < SHORTEST_PASSPHRASE) {
      throw new StartFailed(
          PASSPHRASE + " is too short: use at least " + SHORTEST_PASSPHRASE + " characters");
    }
    return passphrase;
  }

  private static Map<String, String> secrets(FairgateConfig settings) throws IOException {
    Optional<Path> folder = OfflineDatabase.folder(settings);
    boolean lacksMaster =
        folder.isPresent()
            ? StoredKeys.lacksMaster(settings.keys(), folder.get())
            : settings.keys().master().isEmpty();
    if (lacksMaster) {
      throw new StartFailed(
          "The master secret is missing; set FAIRGATE_MASTER_SECRET, or unset " + PASSPHRASE);
    }
    FairgateConfig.Keys keys =
        folder.isEmpty()
            ? settings.keys()
            : StoredKeys.complete(settings.keys(), folder.get(), Clock.systemUTC());
    Map<String, String> secrets = new LinkedHashMap<>();
    secrets.put(MASTER, keys.master().expose());
    secrets.put(TOKEN, keys.operatorToken().expose());
    return secrets;
  }

  private int write(
      EngineAddresses engines,
      Map<String, String> secrets,
      String passphrase,
      EngineWait engineWait)
      throws IOException {
    Vertx vertx = Loops.vertx(1);
    Optional<RedisClient> redis =
        withoutRedis ? Optional.empty() : Optional.of(connect(vertx, engines.redis(), engineWait));
    Path target = Objects.requireNonNull(file);
    try {
      Backup.Summary done =
          new Backup(engines.postgres(), redis, engineWait).write(target, secrets, passphrase);
      PrintWriter out = Objects.requireNonNull(spec).commandLine().getOut();
      out.printf(
          "%s: %d tables, %d rows, %d events of Redis, %.1f MB%n",
          target, done.tables(), done.rows(), done.events(), done.bytes() / 1e6);
      out.println(
          passphrase.isEmpty()
              ? "secrets: not included, because "
                  + PASSPHRASE
                  + " is not set; keep the master secret in another place"
              : "secrets: included, encrypted with " + PASSPHRASE);
      out.flush();
      return 0;
    } catch (ServiceUnavailable e) {
      throw new StartFailed("No backup was made: " + e.getMessage());
    } finally {
      redis.ifPresent(RedisClient::close);
      var _ = vertx.close();
    }
  }

  private static RedisClient connect(Vertx vertx, RedisSettings settings, EngineWait engineWait) {
    RedisSettings patient = settings.withCallBudget(engineWait.limit());
    try {
      return engineWait.answer(() -> RedisClient.connect(vertx, patient));
    } catch (ServiceUnavailable _) {
      throw new StartFailed(
          "Redis does not answer at "
              + settings
              + ", and its last events may not be in PostgreSQL yet; --without-redis leaves them"
              + " out");
    }
  }
}
