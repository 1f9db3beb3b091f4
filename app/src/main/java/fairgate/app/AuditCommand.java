package fairgate.app;

import fairgate.app.command.ConfigOption;
import fairgate.app.command.StartFailed;
import fairgate.app.config.FairgateConfig;
import fairgate.app.config.MasterSecret;
import fairgate.app.config.StoredKeys;
import fairgate.platform.audit.AuditVerifier;
import fairgate.platform.postgres.PostgresDatabase;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.time.Clock;
import java.util.Objects;
import java.util.Optional;
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
  @Spec private @Nullable CommandSpec spec;

  @Command(
      name = "verify",
      description = {
        "Verifies the hash chain of the audit log.",
        "It follows the chain from the first event to the last.",
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
    FairgateConfig settings = FairgateConfig.of(config.read(OfflineDatabase.options(data)));
    Optional<Path> folder = OfflineDatabase.folder(settings);
    FairgateConfig complete =
        folder.isEmpty() ? settings : settings.withKeys(keys(settings, folder.get()));
    return OfflineDatabase.use(complete, database -> verify(complete, database));
  }

  private static FairgateConfig.Keys keys(FairgateConfig settings, Path folder) throws IOException {
    if (StoredKeys.lacksMaster(settings.keys(), folder)) {
      throw new StartFailed(
          "The master secret is missing: put "
              + folder.resolve("secrets/master-secret")
              + " back from a backup, or set master_secret. Nothing can be verified without it.");
    }
    return StoredKeys.complete(settings.keys(), folder, Clock.systemUTC());
  }

  private int verify(FairgateConfig settings, PostgresDatabase database) {
    MasterSecret.problem(settings.keys().master())
        .ifPresent(
            problem -> {
              throw new StartFailed("master_secret: " + problem);
            });
    return tell(
        new AuditVerifier(
                database,
                MasterSecret.ring(settings.keys().master()),
                Settings.audit(settings.audit()),
                Clock.systemUTC())
            .verify());
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
}
