package fairgate.redeem.transfer;

import fairgate.kernel.Ids;
import fairgate.platform.postgres.PostgresDatabase;
import fairgate.redeem.code.SellerCodes;

/// Import and export, put together.
public record TransferFeature(ImportService imports) implements AutoCloseable {
  /// What they stand on.
  public record Parts(
      PostgresDatabase database,
      SellerCodes codes,
      Reversals reversals,
      ImportService.Rules rules,
      Ids ids) {}

  public static TransferFeature wire(TransferConfig config, Parts parts) {
    ImportRun.Store store =
        new ImportRun.Store(
            parts.database(),
            new PostgresImports(parts.database()),
            parts.codes(),
            parts.reversals());
    return new TransferFeature(new ImportService(config, store, parts.rules(), parts.ids()));
  }

  @Override
  public void close() {
    imports.close();
  }
}
