package fairgate.platform.audit;

import fairgate.kernel.Hashes;
import fairgate.kernel.KeyRing;
import java.util.HexFormat;

/// Computes the hashes of the chain: HMAC-SHA256, with a key of the server, over the previous hash,
/// the row's position and the SHA-256 of its content. A content can therefore be erased without
/// breaking the chain.
record AuditChain(KeyRing keys) {
  /// The hash before the first row of all.
  static final String ORIGIN = "0".repeat(64);

  private static final HexFormat HEX = HexFormat.of();

  /// The position of a row.
  ///
  /// @param day as 2026-11-21
  record Place(String day, long seq, long at, String kind) {}

  String hash(String keyId, String before, Place place, String digest) {
    String message =
        before
            + '|'
            + place.day()
            + '|'
            + place.seq()
            + '|'
            + place.at()
            + '|'
            + place.kind()
            + '|'
            + digest;
    return HEX.formatHex(keys.sign(keyId, "audit-chain", message));
  }

  static String digest(String content) {
    return Hashes.sha256Hex(content);
  }
}
