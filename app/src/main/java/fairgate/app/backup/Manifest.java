package fairgate.app.backup;

import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/// The contents of a backup file, a zip archive. The manifest is its last entry, so an incomplete
/// file has none.
///
/// @param format version of this format
/// @param createdAt ISO 8601
/// @param versions the migrations of the schema
/// @param sequences last values of PostgreSQL's sequences
/// @param outbox events of each sale that Redis had and the ledger did not
/// @param secrets null when the backup was made without a passphrase
record Manifest(
    int format,
    String createdAt,
    Set<String> versions,
    List<TableFile> tables,
    Map<String, Long> sequences,
    List<OutboxFile> outbox,
    @Nullable SealedSecrets secrets) {
  /// The name of the manifest in the archive.
  static final String NAME = "manifest.json";

  /// The format that this build writes.
  static final int FORMAT = 1;

  /// The rows of a table, in PostgreSQL's text format.
  ///
  /// @param columns separated by commas
  /// @param sha256 of the uncompressed file, hexadecimal
  record TableFile(String name, String columns, long rows, String sha256) {
    String file() {
      return "tables/" + name;
    }
  }

  /// Entries of an outbox, one JSON object per line: `id` and `fields`.
  record OutboxFile(String product, String key, long entries, String sha256) {
    String file() {
      return "outbox/" + product;
    }
  }
}
