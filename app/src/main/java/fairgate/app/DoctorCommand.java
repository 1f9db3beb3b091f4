package fairgate.app;

import fairgate.app.command.ConfigOption;
import fairgate.app.command.StartFailed;
import fairgate.app.config.FairgateConfig;
import fairgate.app.config.Finding;
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
import fairgate.platform.postgres.PostgresSettings;
import fairgate.platform.postgres.PostgresSettings.Mode;
import fairgate.platform.redis.RedisClient;
import fairgate.platform.redis.RedisFacts;
import fairgate.platform.redis.RedisFailure;
import fairgate.platform.redis.RedisSettings;
import fairgate.platform.run.EngineWait;
import fairgate.platform.tls.TlsPeer;
import fairgate.sale.payment.PaymentFeature;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import java.io.IOException;
import java.io.PrintWriter;
import java.net.URI;
import java.nio.file.FileStore;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeoutException;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/// Checks whether this machine can run Fairgate.
@Command(
    name = "doctor",
    description = {
      "Checks this machine, the settings and the engines.",
      "It checks Java, the settings, the port and the data folder, and whether the Redis (every",
      "master of a cluster), the PostgreSQL and the Kafka of the settings answer and can be used, and",
      "whether the payment provider accepts the account. Without a Redis and a PostgreSQL in the",
      "settings, it tries the embedded engines."
    })
final class DoctorCommand implements Callable<Integer> {
  private static final long ENOUGH_DISK = 1L << 30;

  @Spec private @Nullable CommandSpec spec;

  @Mixin private final ConfigOption config = new ConfigOption();

  private boolean ill;

  /// A check that returns its result, or throws with the problem.
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
    if (usesOwnEngines(settings.stores())) {
      check("engines", DoctorCommand::engines);
    }
    List<Finding> findings = new ArrayList<>();
    if (!settings.stores().redis().url().isEmpty()) {
      findings.addAll(Preflight.settings(settings));
      if (passes("redis of serve", () -> redis(settings))) {
        findings.addAll(Preflight.redis(settings));
      }
    }
    if (!settings.stores().database().url().isEmpty()
        && passes("postgres of serve", () -> postgres(settings))) {
      findings.addAll(Preflight.postgres(settings));
      if (settings.payment().isHosted()) {
        check("payment of serve", () -> payment(settings));
      }
    }
    if (!settings.stores().kafka().servers().isEmpty()) {
      check("kafka of serve", () -> kafka(settings));
    }
    print(findings, settings);
    check("chromium (tests only)", DoctorCommand::chromium);
    return ill ? 1 : 0;
  }

  /// Whether `up` would start engines here; a host of `serve` has others.
  private static boolean usesOwnEngines(FairgateConfig.Stores stores) {
    return stores.redis().url().isEmpty() || stores.database().url().isEmpty();
  }

  /// Prints the preflight list of `serve`, which a machine for `up` does not need.
  private void print(List<Finding> findings, FairgateConfig settings) {
    PrintWriter out = Objects.requireNonNull(spec).commandLine().getOut();
    ill |= !Preflight.refusals(findings).isEmpty();
    findings.forEach(finding -> out.println(Preflight.line(finding)));
    if (findings.isEmpty() && !ill && !settings.stores().redis().url().isEmpty()) {
      out.println("ok    preflight of serve      nothing is wrong");
    }
    out.flush();
  }

  private void check(String what, Check check) {
    boolean _ = passes(what, check);
  }

  /// Prints the line of one check; true when it passed.
  private boolean passes(String what, Check check) {
    PrintWriter out = Objects.requireNonNull(spec).commandLine().getOut();
    boolean right = false;
    try {
      out.printf("ok    %-22s %s%n", what, check.find());
      right = true;
    } catch (IOException | StartFailed | EngineFailed e) {
      ill = true;
      out.printf("FAIL  %-22s %s%n", what, e.getMessage());
    }
    out.flush();
    return right;
  }

  private static String freePort(FairgateConfig.Server server) {
    PortCheck.check(server);
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
      String advice = engines.redisIsBundled() ? "; bundled: " + RedisChecks.BUNDLED : "";
      return "%s and PostgreSQL ran after %d ms%s"
          .formatted(engines.redisVersion(), millis, advice);
    } finally {
      EmbeddedEngines.deleteData(trial);
    }
  }

  private static String redis(FairgateConfig settings) {
    Vertx vertx = Loops.vertx(1);
    EngineWait engineWait = settings.stores().engines().engineWait();
    RedisSettings address =
        EngineAddresses.redis(settings.stores().redis()).withCallBudget(engineWait.limit());
    try (RedisClient redis = engineWait.answer(() -> RedisClient.connect(vertx, address))) {
      List<String> away = engineWait.answer(Stores.rightMode(redis)::unreachableNodes);
      if (!away.isEmpty()) {
        throw new StartFailed("no answer from " + String.join(", ", away));
      }
      List<RedisFacts> facts = engineWait.answer(redis::facts);
      String versions =
          facts.stream().map(RedisFacts::version).distinct().collect(Collectors.joining(", "));
      String which = versions.isEmpty() ? "of an unknown version" : versions;
      String answers =
          redis.clustered()
              ? which + ", " + redis.nodes().size() + " masters answer"
              : which + " answers";
      return answers + ", " + EngineTls.redis(vertx, settings);
    } catch (ServiceUnavailable | RedisFailure e) {
      String why = String.valueOf(e.getMessage());
      throw new StartFailed(Preflight.isRefusal(e) ? why : "no answer: " + why);
    } catch (TimeoutException e) {
      throw new StartFailed("no answer: " + e.getMessage());
    } finally {
      var _ = vertx.close();
    }
  }

  /// Connects to the configured database. The preflight list reports whether it is suitable.
  private static String postgres(FairgateConfig settings) {
    ServeChecks.databaseProblem(settings.stores().database())
        .ifPresent(
            problem -> {
              throw new StartFailed(problem);
            });
    Vertx vertx = Loops.vertx(1);
    try (PostgresDatabase database =
        PostgresDatabase.open(vertx, EngineAddresses.external(settings).postgres())) {
      PostgresFitness found = settings.stores().engines().engineWait().answer(database::fitness);
      String words = found.fit() ? found.words() : found.version() + " answers";
      return words + ", " + EngineTls.postgres(vertx, settings);
    } catch (ServiceUnavailable | PostgresRefusal e) {
      String why = String.valueOf(e.getMessage());
      throw new StartFailed(Preflight.isRefusal(e) ? why : "not usable: " + why);
    } finally {
      var _ = vertx.close();
    }
  }

  /// Asks the payment provider with the account of the settings.
  private static String payment(FairgateConfig settings) {
    Vertx vertx = Loops.vertx(1);
    try (PostgresDatabase database =
        PostgresDatabase.open(vertx, EngineAddresses.external(settings).postgres())) {
      return settings.payment().provider()
          + " answers: "
          + PaymentFeature.probe(
              Settings.payment(settings.payment()), database, Replaceable.real().clock());
    } catch (ServiceUnavailable e) {
      throw new StartFailed("not usable: " + e.getMessage());
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
    List<String> names =
        List.of("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome");
    for (String folder : String.valueOf(System.getenv("PATH")).split(":", -1)) {
      for (String name : names) {
        if (Files.isExecutable(Path.of(folder, name))) {
          return Path.of(folder, name).toString();
        }
      }
    }
    return Objects.requireNonNullElse(
        System.getenv("FAIRGATE_CHROMIUM"), "none; only `fairgate test` needs it");
  }

  /// The encryption of the connections to the engines, in words for `doctor`. Each call opens a
  /// connection of its own; in a cluster, to the node of `redis.url`.
  static final class EngineTls {
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
}
