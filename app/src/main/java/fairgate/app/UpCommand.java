package fairgate.app;

import fairgate.app.Server.Running;
import fairgate.app.command.ConfigOption;
import fairgate.app.command.FailureText;
import fairgate.app.command.StartFailed;
import fairgate.app.config.FairgateConfig;
import fairgate.app.config.MasterSecret;
import fairgate.app.config.StoredKeys;
import fairgate.platform.embedded.DataFolder;
import fairgate.platform.embedded.EmbeddedEngines;
import fairgate.platform.embedded.EngineFailed;
import fairgate.platform.embedded.EngineOptions;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/// Runs everything on this machine: engines, keys and a demo sale.
@Command(
    name = "up",
    description = {
      "Starts the server with its own Redis and PostgreSQL.",
      "They can be reached from this machine only. Prints `ready http://127.0.0.1:PORT` once it",
      "accepts requests; Ctrl-C stops it."
    })
final class UpCommand implements Callable<Integer> {
  @Spec private @Nullable CommandSpec spec;

  @Mixin private final ConfigOption config = new ConfigOption();

  @Option(names = "--port", paramLabel = "PORT", description = "Default: 8080; 0 takes a free one.")
  private @Nullable Integer port;

  @Option(names = "--data", paramLabel = "DIR", description = "Default: ./data.")
  private @Nullable Path data;

  @Option(names = "--no-demo", description = "Creates no demo sale.")
  private boolean noDemo;

  @Override
  public Integer call() throws Exception {
    FairgateConfig settings = FairgateConfig.of(config.read(options()));
    if (settings.stores().redis().cluster()) {
      throw new StartFailed("redis.mode: `up` brings a single Redis; use `serve` with a cluster");
    }
    OpenFiles.check();
    PortCheck.check(settings.server());
    Path dataDir = settings.dataDir().toAbsolutePath().normalize();
    DataFolder.prepare(dataDir);
    Logs.forPeople(dataDir);
    Replaceable parts = Replaceable.real();
    EmbeddedEngines engines = EmbeddedEngines.start(dataDir, engines(settings.stores().redis()));
    Running running;
    FairgateConfig complete;
    try {
      complete = settings.withKeys(StoredKeys.complete(settings.keys(), dataDir, parts.clock()));
      check(complete);
      running = Wiring.start(complete, EngineAddresses.embedded(engines, complete), parts);
    } catch (IOException | RuntimeException e) {
      engines.close();
      throw e instanceof IOException io ? new EngineFailed(FailureText.of(io), io) : e;
    }
    Map<String, String> facts = facts(complete, dataDir, engines);
    running.firstOwnerLink().ifPresent(link -> facts.put("first owner", link));
    AotCache cache = AotCache.write(dataDir);
    AutoCloseable last =
        () -> {
          cache.close();
          engines.close();
        };
    return Server.run(complete, running, facts, last, out());
  }

  private static EngineOptions engines(FairgateConfig.Redis redis) {
    EngineOptions options =
        redis.fsyncAlways() ? EngineOptions.durable() : EngineOptions.everySecond();
    return redis.bundled() ? options.withBundledRedis() : options;
  }

  private Map<String, String> options() {
    Map<String, String> options = new LinkedHashMap<>();
    // No balancer watches this server.
    options.put("server.drain_seconds", "0");
    // The first visitor is the one who waits for the start.
    options.put("server.warm_up_ms", "0");
    if (port != null) {
      options.put("server.port", port.toString());
    }
    if (data != null) {
      options.put("data_dir", data.toString());
    }
    if (noDemo) {
      options.put("demo", "off");
    }
    return options;
  }

  private static void check(FairgateConfig complete) {
    MasterSecret.problem(complete.keys().master())
        .ifPresent(
            problem -> {
              throw new StartFailed("master_secret: " + problem);
            });
  }

  private static Map<String, String> facts(
      FairgateConfig config, Path dataDir, EmbeddedEngines engines) {
    Map<String, String> facts = new LinkedHashMap<>();
    facts.put("operator token", config.keys().operatorToken().expose());
    facts.put("data", dataDir.toString());
    facts.put("redis", engines.redisUri() + ", " + engines.redisVersion());
    if (engines.redisIsBundled()) {
      facts.put("bundled redis", RedisChecks.BUNDLED);
    }
    facts.put("postgres", engines.postgres().toString());
    return facts;
  }

  private PrintWriter out() {
    return Objects.requireNonNull(spec).commandLine().getOut();
  }
}
