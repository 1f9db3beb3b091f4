package fairgate.redeem.transfer;

import fairgate.kernel.Ids;
import fairgate.platform.postgres.PostgresDatabase;
import fairgate.redeem.code.CodeVault;
import fairgate.redeem.code.SellerCodes;

/// Import and export, put together.
public record TransferFeature(ImportService imports, ExportService exports)
    implements AutoCloseable {
  /// The dependencies.
  public record Dependencies(
      PostgresDatabase database, CodeVault vault, ImportService.Rules rules, Ids ids) {}

  public static TransferFeature wire(TransferConfig config, Dependencies parts) {
    ImportRun.Store store =
        new ImportRun.Store(
            parts.database(),
            new PostgresImports(parts.database()),
            new SellerCodes(parts.vault()));
    return new TransferFeature(
        new ImportService(config, store, parts.rules(), parts.ids()),
        new ExportService(new PostgresCodeExports(parts.database()), parts.vault()));
  }

  @Override
  public void close() {
    imports.close();
  }
}
