package fairgate.app;

import fairgate.app.backup.Restore;
import fairgate.app.command.ConfigOption;
import fairgate.app.command.StartFailed;
import fairgate.app.config.FairgateConfig;
import fairgate.app.config.StoredKeys;
import fairgate.kernel.ServiceUnavailable;
import fairgate.platform.embedded.DataFolder;
import fairgate.platform.embedded.EmbeddedEngines;
import fairgate.platform.embedded.EngineOptions;
import fairgate.platform.http.Loops;
import fairgate.platform.postgres.PostgresDatabase;
import fairgate.platform.postgres.PostgresLoader;
import fairgate.platform.postgres.PostgresSettings;
import fairgate.sale.ledger.SaleBooks;
import io.vertx.core.Vertx;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
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

/// Reads a backup into an empty database, or only tries to.
@Command(
    name = "restore",
    description = {
      "Restores a backup into an empty database.",
      "This is the one of DATABASE_URL, or a new data folder of `up`. Start no node before it has",
      "ended, and start Redis empty: the nodes rebuild each sale from the ledger. With --check it",
      "restores into a temporary PostgreSQL, compares the totals of each sale with its orders, and",
      "deletes everything again. Exit code 1 when the backup is damaged or does not add up.",
      "FAIRGATE_BACKUP_PASSPHRASE decrypts the secrets of the backup."
    })
final class RestoreCommand implements Callable<Integer> {
  private static final Duration CONNECT_LIMIT = Duration.ofSeconds(30);

  @Spec private @Nullable CommandSpec spec;

  @Mixin private final ConfigOption config = new ConfigOption();

  @Option(names = "--data", paramLabel = "DIR", description = "Default: ./data.")
  private @Nullable Path data;

  @Option(
      names = "--check",
      description = "Only tries the backup, in a temporary PostgreSQL on this machine.")
  private boolean check;

  @Parameters(paramLabel = "FILE", description = "A file that `fairgate backup` has written.")
  private @Nullable Path file;

  @Override
  public Integer call() throws IOException {
    FairgateConfig settings = FairgateConfig.of(config.read(OfflineDatabase.options(data)));
    try (Restore backup = Restore.open(Objects.requireNonNull(file))) {
      out().println("backup of " + backup.createdAt());
      Optional<Map<String, String>> secrets = secrets(backup);
      if (check) {
        return tryOut(backup);
      }
      if (!settings.stores().database().url().isEmpty()) {
        int code = restore(backup, EngineAddresses.external(settings).postgres());
        out()
            .println("next: set the master secret of the backup on every node, and start one node");
        out().flush();
        return code;
      }
      return restoreFolder(backup, settings, secrets);
    } catch (PostgresLoader.Unfit | ServiceUnavailable e) {
      throw new StartFailed("Nothing was restored: " + e.getMessage());
    }
  }

  private Optional<Map<String, String>> secrets(Restore backup) throws IOException {
    String passphrase = BackupCommand.passphrase();
    if (!backup.hasSecrets()) {
      out().println("secrets: none in the backup; the master secret has to come from elsewhere");
      return Optional.empty();
    }
    if (passphrase.isEmpty()) {
      out().println("secrets: not read, because " + BackupCommand.PASSPHRASE + " is not set");
      return Optional.empty();
    }
    Optional<Map<String, String>> secrets = backup.secrets(passphrase);
    if (secrets.isEmpty()) {
      throw new StartFailed(BackupCommand.PASSPHRASE + " is not the passphrase of this backup");
    }
    out().println("secrets: decrypted");
    return secrets;
  }

  private int tryOut(Restore backup) throws IOException {
    Path trial = Files.createTempDirectory("fairgate-restore-");
    Files.setPosixFilePermissions(trial, PosixFilePermissions.fromString("rwxr-xr-x"));
    try (EmbeddedEngines engines = EmbeddedEngines.start(trial, EngineOptions.disposable())) {
      return restore(backup, EngineAddresses.settings(engines.postgres(), defaults()));
    } finally {
      EmbeddedEngines.deleteData(trial);
    }
  }

  private FairgateConfig defaults() {
    return FairgateConfig.of(config.read(Map.of()));
  }

  /// Makes a data folder for `up`.
  private int restoreFolder(
      Restore backup, FairgateConfig settings, Optional<Map<String, String>> secrets)
      throws IOException {
    Path folder = settings.dataDir().toAbsolutePath().normalize();
    if (Files.exists(folder.resolve("engines"))) {
      throw new StartFailed("there is data in " + folder + "; restore into another folder");
    }
    DataFolder.prepare(folder);
    int code;
    try (EmbeddedEngines engines = EmbeddedEngines.start(folder, EngineOptions.durable())) {
      code = restore(backup, EngineAddresses.settings(engines.postgres(), settings));
    }
    if (secrets.isPresent()) {
      StoredKeys.put(folder, secrets.get());
      out().println("next: ./fairgate up --data " + folder);
    } else {
      out()
          .println(
              "next: put the master secret into "
                  + folder.resolve("secrets/master-secret")
                  + ", then ./fairgate up --data "
                  + folder);
    }
    out().flush();
    return code;
  }

  private int restore(Restore backup, PostgresSettings settings) throws IOException {
    Vertx vertx = Loops.vertx(1);
    try (PostgresDatabase database = PostgresDatabase.open(vertx, settings)) {
      database.awaitAnswer(CONNECT_LIMIT);
      Restore.Summary done = backup.into(settings, database);
      out()
          .printf(
              "restored: %d tables, %d rows, %d events of Redis, %d of them rejected%n",
              done.tables(), done.rows(), done.events(), done.rejected());
      boolean right = done.rejected() == 0;
      for (var sale : SaleBooks.all(database).entrySet()) {
        SaleBooks books = sale.getValue();
        right &= books.agree();
        out()
            .printf(
                "sale %s: %d released, %d sold, %d held, %s%n",
                sale.getKey().value(),
                books.released(),
                books.head().confirmed(),
                books.head().held(),
                books.agree() ? "the orders agree" : "THE ORDERS DIFFER");
      }
      out().flush();
      return right ? 0 : 1;
    } finally {
      var _ = vertx.close();
    }
  }

  private PrintWriter out() {
    return Objects.requireNonNull(spec).commandLine().getOut();
  }
}
