package fairgate.redeem.code;

import fairgate.platform.postgres.Db;
import java.util.List;

/// Codes that sellers bring instead of having them generated, bound to orders at import.
public final class SellerCodes {
  private final CodeVault vault;

  public SellerCodes(CodeVault vault) {
    this.vault = vault;
  }

  /// Binds codes to orders inside the caller's transaction. Blocks; a repeat changes nothing.
  ///
  /// @param codes at most a thousand
  /// @param actor who does it, for the codes' events
  /// @return one outcome per code, in their order
  public List<BindOutcome> bind(Db db, List<SellerCode> codes, String actor) {
    return PostgresSellerCodes.bind(db, vault, codes, actor);
  }
}
