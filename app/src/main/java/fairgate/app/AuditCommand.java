package fairgate.app;

import fairgate.app.command.ConfigOption;
import fairgate.app.command.StartFailed;
import fairgate.app.config.FairgateConfig;
import fairgate.app.config.MasterSecret;
import fairgate.app.config.StoredKeys;
import fairgate.platform.audit.AuditVerifier;
import fairgate.platform.embedded.EmbeddedEngines;
import fairgate.platform.embedded.EngineOptions;
import fairgate.platform.embedded.PostgresAddress;
import fairgate.platform.postgres.PostgresDatabase;
import fairgate.platform.postgres.PostgresSettings;
import io.vertx.core.Vertx;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/// Reads the audit log without the server.
@Command(
    name = "audit",
    description = "Verifies the audit log.",
    synopsisSubcommandLabel = "verify")
final class AuditCommand {
  private static final long CALL_TIMEOUT_SECONDS = 10;

  @Spec private @Nullable CommandSpec spec;

  @Command(
      name = "verify",
      description = {
        "Follows the chain of the audit log from its first event to its last.",
        "On DATABASE_URL, or on the data of `up`, running or not. Exit code 1, and what is wrong,",
        "when an event was changed, added, taken out or cut off. Keep the head it prints: a log",
        "that was cut off at its very end shows only by a head that is not reached any more."
      },
      mixinStandardHelpOptions = true)
  int verify(
      @Mixin ConfigOption config,
      @Option(names = "--data", paramLabel = "DIR", description = "Default: ./data.")
          @Nullable Path data)
      throws IOException {
    Map<String, String> options = new LinkedHashMap<>();
    if (data != null) {
      options.put("data_dir", data.toString());
    }
    FairgateConfig settings = FairgateConfig.of(config.read(options));
    if (!settings.stores().database().url().isEmpty()) {
      return verify(settings, EngineAddresses.external(settings).postgres());
    }
    Path folder = settings.dataDir().toAbsolutePath().normalize();
    if (!Files.isDirectory(folder.resolve("engines"))) {
      throw new StartFailed("there is no data in " + folder + "; name it with --data");
    }
    if (StoredKeys.lacksMaster(settings.keys(), folder)) {
      throw new StartFailed(
          "The master secret is missing: put "
              + folder.resolve("secrets/master-secret")
              + " back from a backup, or set master_secret. Nothing can be verified without it.");
    }
    FairgateConfig complete =
        settings.withKeys(StoredKeys.complete(settings.keys(), folder, Clock.systemUTC()));
    Optional<PostgresAddress> running = EmbeddedEngines.running(folder);
    if (running.isPresent()) {
      return verify(complete, EngineAddresses.settings(running.get(), complete));
    }
    try (EmbeddedEngines engines = EmbeddedEngines.start(folder, EngineOptions.durable())) {
      return verify(complete, EngineAddresses.settings(engines.postgres(), complete));
    }
  }

  private int verify(FairgateConfig settings, PostgresSettings postgres) {
    MasterSecret.problem(settings.keys().master())
        .ifPresent(
            problem -> {
              throw new StartFailed("master_secret: " + problem);
            });
    Vertx vertx = Vertx.vertx();
    try (PostgresDatabase database = PostgresDatabase.open(vertx, postgres)) {
      return tell(
          new AuditVerifier(
                  database,
                  MasterSecret.ring(settings.keys().master()),
                  Settings.audit(settings.audit()),
                  Clock.systemUTC())
              .verify());
    } finally {
      close(vertx);
    }
  }

  private int tell(AuditVerifier.Report report) {
    PrintWriter out = Objects.requireNonNull(spec).commandLine().getOut();
    report.problems().forEach(problem -> out.println("BROKEN  " + problem));
    out.printf(
        "%s: %d day%s, %d events, of which %d without their contents, for their time has passed%n",
        report.intact() ? "intact" : "NOT INTACT",
        report.days(),
        report.days() == 1 ? "" : "s",
        report.events(),
        report.erased());
    out.println("head " + report.head());
    out.flush();
    return report.intact() ? 0 : 1;
  }

  private static void close(Vertx vertx) {
    try {
      Void _ = vertx.close().await(CALL_TIMEOUT_SECONDS, TimeUnit.SECONDS);
    } catch (TimeoutException e) {
      throw new StartFailed("a connection did not close in time");
    }
  }
}
