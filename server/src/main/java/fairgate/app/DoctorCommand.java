package fairgate.app;

import fairgate.app.command.ConfigOption;
import fairgate.app.command.StartFailed;
import fairgate.app.config.FairgateConfig;
import fairgate.app.config.ServeChecks;
import fairgate.kernel.ServiceUnavailable;
import fairgate.platform.embedded.EmbeddedEngines;
import fairgate.platform.embedded.EngineFailed;
import fairgate.platform.embedded.EngineOptions;
import fairgate.platform.events.KafkaLog;
import fairgate.platform.http.Loops;
import fairgate.platform.postgres.PostgresDatabase;
import fairgate.platform.postgres.PostgresFitness;
import fairgate.platform.postgres.PostgresRefusal;
import fairgate.platform.redis.RedisClient;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.FileStore;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/// Looks whether this machine can run Fairgate.
@Command(
    name = "doctor",
    description = {
      "Checks Java, the settings, the port, the data folder and the embedded engines, and whether",
      "the Redis (every master of a cluster), the PostgreSQL and the Kafka of the settings answer and",
      "can be used."
    })
final class DoctorCommand implements Callable<Integer> {
  private static final long ENOUGH_DISK = 1L << 30;
  private static final long ANSWER_SECONDS = 10;

  @Spec private @Nullable CommandSpec spec;

  @Mixin private final ConfigOption config = new ConfigOption();

  private boolean ill;

  /// A check that tells what it found, or throws what is wrong.
  @FunctionalInterface
  private interface Check {
    String find() throws IOException;
  }

  @Override
  public Integer call() {
    FairgateConfig settings = FairgateConfig.of(config.read(Map.of()));
    Path data = settings.dataDir().toAbsolutePath().normalize();
    check("java", () -> Runtime.version() + " in " + System.getProperty("java.home"));
    check("settings", () -> "right");
    check("port", () -> freePort(settings.server()));
    check("data folder", () -> writable(data));
    check("engines", DoctorCommand::engines);
    if (!settings.stores().redis().url().isEmpty()) {
      check("redis of serve", () -> redis(settings));
    }
    if (!settings.stores().database().url().isEmpty()) {
      check("postgres of serve", () -> postgres(settings));
    }
    if (!settings.stores().kafka().servers().isEmpty()) {
      check("kafka of serve", () -> kafka(settings));
    }
    check("chromium (tests only)", DoctorCommand::chromium);
    return ill ? 1 : 0;
  }

  private void check(String what, Check check) {
    PrintWriter out = Objects.requireNonNull(spec).commandLine().getOut();
    try {
      out.printf("ok    %-22s %s%n", what, check.find());
    } catch (IOException | StartFailed | EngineFailed e) {
      ill = true;
      out.printf("FAIL  %-22s %s%n", what, e.getMessage());
    }
    out.flush();
  }

  private static String freePort(FairgateConfig.Server server) {
    FreePort.check(server.host(), server.port());
    return server.port() + " is free";
  }

  private static String writable(Path data) throws IOException {
    Path existing = data;
    while (!Files.exists(existing)) {
      existing = Objects.requireNonNull(existing.getParent(), "the root folder exists");
    }
    if (!Files.isWritable(existing)) {
      throw new StartFailed(
          "no permission to write in " + existing + "; choose another with --data");
    }
    FileStore store = Files.getFileStore(existing);
    if (store.getUsableSpace() < ENOUGH_DISK) {
      throw new StartFailed("less than 1 GB of disk is free for " + data);
    }
    return data + ", " + (store.getUsableSpace() >> 30) + " GB free";
  }

  private static String engines() throws IOException {
    Path trial = Files.createTempDirectory("fairgate-doctor-");
    Files.setPosixFilePermissions(trial, PosixFilePermissions.fromString("rwxr-xr-x"));
    long begin = System.nanoTime();
    try (EmbeddedEngines engines = EmbeddedEngines.start(trial, EngineOptions.disposable())) {
      long millis = (System.nanoTime() - begin) / 1_000_000;
      return "Redis (" + engines.redisProgram() + ") and PostgreSQL ran after " + millis + " ms";
    } finally {
      EmbeddedEngines.deleteData(trial);
    }
  }

  private static String redis(FairgateConfig settings) {
    Vertx vertx = Loops.vertx(1);
    Future<RedisClient> connecting =
        RedisClient.connect(vertx, EngineAddresses.redis(settings.stores().redis()))
            .recover(failure -> Future.failedFuture(new StartFailed("no answer: " + failure)));
    try (RedisClient redis = connecting.await(ANSWER_SECONDS, TimeUnit.SECONDS)) {
      Future<List<String>> silent =
          Stores.rightMode(redis)
              .silent()
              .recover(failure -> Future.failedFuture(new StartFailed("no answer: " + failure)));
      List<String> away = silent.await(ANSWER_SECONDS, TimeUnit.SECONDS);
      if (!away.isEmpty()) {
        throw new StartFailed("no answer from " + String.join(", ", away));
      }
      return redis.clustered() ? redis.nodes().size() + " masters answer" : "answers";
    } catch (TimeoutException _) {
      throw new StartFailed("no answer within " + ANSWER_SECONDS + " s");
    } finally {
      var _ = vertx.close();
    }
  }

  /// Whether the schema could be made in the database that the settings name, and kept up to date.
  private static String postgres(FairgateConfig settings) {
    ServeChecks.databaseProblem(settings.stores().database().url())
        .ifPresent(
            problem -> {
              throw new StartFailed(problem);
            });
    Vertx vertx = Loops.vertx(1);
    try (PostgresDatabase database =
        PostgresDatabase.open(vertx, EngineAddresses.external(settings).postgres())) {
      PostgresFitness found = database.fitness().await(ANSWER_SECONDS, TimeUnit.SECONDS);
      if (!found.fit()) {
        throw new StartFailed(found.words());
      }
      return found.words();
    } catch (ServiceUnavailable | PostgresRefusal e) {
      throw new StartFailed("not usable: " + e.getMessage());
    } catch (TimeoutException _) {
      throw new StartFailed("no answer within " + ANSWER_SECONDS + " s");
    } finally {
      var _ = vertx.close();
    }
  }

  private static String kafka(FairgateConfig settings) {
    try (KafkaLog kafka = KafkaWiring.log(settings, "doctor").orElseThrow()) {
      return kafka.brokers() + " brokers answer";
    } catch (ServiceUnavailable e) {
      throw new StartFailed("no answer: " + e.getMessage());
    }
  }

  private static String chromium() {
    for (String folder : String.valueOf(System.getenv("PATH")).split(":", -1)) {
      for (String name : new String[] {"chromium", "chromium-browser", "google-chrome"}) {
        if (Files.isExecutable(Path.of(folder, name))) {
          return Path.of(folder, name).toString();
        }
      }
    }
    return Objects.requireNonNullElse(
        System.getenv("FAIRGATE_CHROMIUM"), "none; only `fairgate test` needs it");
  }
}
