package fairgate.redeem.transfer;

import java.nio.file.Path;

/// How files of orders come in.
///
/// @param spool where files wait while they are imported
/// @param batchRows how many rows a transaction writes, at most a thousand
/// @param atOnce how many files one node takes at the same time
public record TransferConfig(Path spool, int batchRows, int atOnce) {
  /// The longest file, in bytes: 1 GiB, some ten million orders.
  public static final int MAX_FILE_BYTES = 1 << 30;

  public TransferConfig {
    if (batchRows < 1 || batchRows > 1000 || atOnce < 1) {
      throw new IllegalArgumentException("a batch has 1 to 1000 rows");
    }
  }

  /// A thousand rows a transaction, two files at the same time.
  public static TransferConfig in(Path spool) {
    return new TransferConfig(spool, 1000, 2);
  }
}
