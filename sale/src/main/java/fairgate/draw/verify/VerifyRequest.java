package fairgate.draw.verify;

import fairgate.draw.tlog.VerifierKey;
import java.time.Clock;
import java.time.Instant;
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
/// @param clock tells whether a beacon round is past
@SuppressWarnings("ArrayRecordComponent") // Requests are not compared.
public record VerifyRequest(
    Files files,
    Optional<VerifierKey> logKey,
    Set<String> chains,
    List<byte[]> receipts,
    Optional<String> person,
    boolean isLight,
    Progress progress,
    Clock clock) {
  public static final int MAX_RECEIPT = 65_536;

  /// Time after a beacon round until its result must be public.
  private static final long GRACE_SECONDS = 15 * 60;

  /// Checks everything, with the keys in the bundle.
  public static VerifyRequest everything(Files files, Set<String> chains, Clock clock) {
    return new VerifyRequest(
        files, Optional.empty(), chains, List.of(), Optional.empty(), false, Progress.NONE, clock);
  }

  public VerifyRequest withReceipts(List<byte[]> files) {
    return new VerifyRequest(this.files, logKey, chains, files, person, isLight, progress, clock);
  }

  public VerifyRequest light() {
    return new VerifyRequest(files, logKey, chains, receipts, person, true, progress, clock);
  }

  VerifyRequest at(Clock other) {
    return new VerifyRequest(files, logKey, chains, receipts, person, isLight, progress, other);
  }

  /// Whether a beacon round was so long ago that its result must be public.
  ///
  /// @param roundTime seconds since 1970
  boolean isOverdue(long roundTime) {
    return isPast(roundTime + GRACE_SECONDS);
  }

  /// @param time seconds since 1970
  boolean isPast(long time) {
    return clock.instant().getEpochSecond() >= time;
  }

  /// The failure of a draw that has no result although it should.
  ///
  /// @param roundTime seconds since 1970
  static FailedCheck withheld(long roundTime) {
    return new FailedCheck(VerdictCode.WITHHELD, Instant.ofEpochSecond(roundTime).toString());
  }

  public interface Progress {
    enum Part {
      LOG,
      ENTRIES,
      LOTS
    }

    Progress NONE = (_, _, _) -> {};

    void at(Part part, long done, long total);
  }

  public interface Files {
    /// The content of a file; empty if it does not exist. Throws UncheckedIOException if it cannot
    /// be read.
    Optional<byte[]> read(String path);

    default byte[] need(String path) {
      return read(path).orElseThrow(() -> new FailedCheck(VerdictCode.MISSING_FILE, path));
    }
  }
}
