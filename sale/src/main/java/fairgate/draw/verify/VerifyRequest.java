package fairgate.draw.verify;

import fairgate.draw.tlog.VerifierKey;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/// What to verify, and which keys the caller trusts.
///
/// @param logKey the key that the log must have; empty: the one in the bundle
/// @param chains hashes of beacon chains that are accepted besides quicknet
/// @param receipts contents of `.tlog-proof` files and promises
/// @param person whose commitment the receipts must have
/// @param isLight whether only the receipts and the beacon are checked, without the whole list
@SuppressWarnings("ArrayRecordComponent") // Requests are not compared.
public record VerifyRequest(
    DrawFiles files,
    Optional<VerifierKey> logKey,
    Set<String> chains,
    List<byte[]> receipts,
    Optional<String> person,
    boolean isLight,
    Progress progress) {
  /// Checks everything, with the keys in the bundle.
  public static VerifyRequest everything(DrawFiles files, Set<String> chains) {
    return new VerifyRequest(
        files, Optional.empty(), chains, List.of(), Optional.empty(), false, Progress.NONE);
  }

  public VerifyRequest withReceipts(List<byte[]> files) {
    return new VerifyRequest(this.files, logKey, chains, files, person, isLight, progress);
  }

  public VerifyRequest light() {
    return new VerifyRequest(files, logKey, chains, receipts, person, true, progress);
  }
}
