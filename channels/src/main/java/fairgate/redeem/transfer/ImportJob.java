package fairgate.redeem.transfer;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/// An import, and how far it has come.
///
/// @param dryRun whether it only looks
/// @param encoding what the file was found to be written in
/// @param rowsTotal rows of the file behind the header
/// @param rowsDone rows that are done for good, whatever happens now
/// @param finishedAt when it ended; null while it has not
/// @param undoneAt when it was undone; null when it stands
public record ImportJob(
    String id,
    String fileName,
    boolean dryRun,
    String encoding,
    State state,
    long rowsTotal,
    long rowsDone,
    Counts counts,
    Codes codes,
    String actor,
    Instant startedAt,
    @Nullable Instant finishedAt,
    @Nullable Instant undoneAt) {

  /// Whether somebody is at it.
  public enum State {
    RUNNING("running"),
    /// Nobody is; handing the same file in again goes on from there.
    INTERRUPTED("interrupted"),
    DONE("done"),
    /// It ended with an error of the server; the same helps.
    FAILED("failed");

    private final String word;

    State(String word) {
      this.word = word;
    }

    public String word() {
      return word;
    }
  }

  /// What became of the rows that are done; adds up to their number.
  ///
  /// @param added orders that were not known before
  /// @param updated known orders that the file has otherwise
  /// @param unchanged known orders, the same in the file
  /// @param duplicates rows that say again what another row of the file says
  /// @param refused rows that were not imported, see the error file
  /// @param blank rows with nothing in them
  public record Counts(
      long added, long updated, long unchanged, long duplicates, long refused, long blank) {
    static final Counts NONE = new Counts(0, 0, 0, 0, 0, 0);
  }

  /// What the orders' new states did to codes that were given out for them; of a dry run, what they
  /// would do.
  ///
  /// @param revoked unused codes of orders that are refunded now
  /// @param restored codes that a refund had revoked, of orders that are paid after all
  /// @param inUse codes in use of orders that are refunded now: they are left to an operator
  public record Codes(long revoked, long restored, long inUse) {
    static final Codes NONE = new Codes(0, 0, 0);

    Codes plus(Codes more) {
      return new Codes(revoked + more.revoked, restored + more.restored, inUse + more.inUse);
    }
  }
}
