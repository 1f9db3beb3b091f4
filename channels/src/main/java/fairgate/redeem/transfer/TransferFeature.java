package fairgate.redeem.transfer;

import fairgate.kernel.Ids;
import fairgate.platform.admin.AdminGuard;
import fairgate.platform.admin.ExportLock;
import fairgate.platform.http.Route;
import fairgate.platform.postgres.PostgresDatabase;
import fairgate.redeem.code.CodeVault;
import fairgate.redeem.code.SellerCodes;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/// Import and export, put together.
public record TransferFeature(ImportService imports, ExportService exports)
    implements AutoCloseable {
  public static TransferFeature wire(
      Config config,
      PostgresDatabase database,
      CodeVault vault,
      ImportService.Rules rules,
      Ids ids) {
    ImportRun.Store store =
        new ImportRun.Store(database, new PostgresImports(database), new SellerCodes(vault));
    return new TransferFeature(
        new ImportService(config, store, rules, ids),
        new ExportService(new PostgresCodeExports(database), vault));
  }

  public List<Route> routes(AdminGuard admin, ExportLock lock) {
    return Stream.of(
            new ImportAdmin(imports).routes(admin), new ExportAdmin(exports, lock).routes(admin))
        .flatMap(List::stream)
        .toList();
  }

  @Override
  public void close() {
    imports.close();
  }

  /// How files of orders come in.
  ///
  /// @param spool where files wait while they are imported
  /// @param batchRows how many rows a transaction writes, at most a thousand
  /// @param atOnce how many files one node takes at the same time
  public record Config(Path spool, int batchRows, int atOnce) {
    /// The longest file, in bytes: 1 GiB, some ten million orders.
    public static final int MAX_FILE_BYTES = 1 << 30;

    public Config {
      if (batchRows < 1 || batchRows > 1000 || atOnce < 1) {
        throw new IllegalArgumentException("a batch has 1 to 1000 rows");
      }
    }

    /// A thousand rows a transaction, two files at the same time.
    public static Config in(Path spool) {
      return new Config(spool, 1000, 2);
    }
  }
}
