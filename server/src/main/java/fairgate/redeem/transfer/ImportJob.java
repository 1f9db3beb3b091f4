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
public record ImportJob(
    String id,
    String fileName,
    boolean dryRun,
    String encoding,
    State state,
    long rowsTotal,
    long rowsDone,
    Counts counts,
    String actor,
    Instant startedAt,
    @Nullable Instant finishedAt) {

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
}
