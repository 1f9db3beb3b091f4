package fairgate.redeem.transfer;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/// An import and its progress.
///
/// @param dryRun whether it writes nothing
/// @param encoding the detected encoding of the file
/// @param rowsTotal rows of the file after the header
/// @param rowsDone rows that are committed
/// @param finishedAt the time of its end; null while it runs
/// @param undoneAt the time it was undone; null if it was not
/// @param run how often the file was imported with the same options, from 1; the counts are those
///   of this run
/// @param earlierRuns the reports of the runs before it, as a JSON array
public record ImportJob(
    String id,
    String fileName,
    boolean dryRun,
    String encoding,
    State state,
    long rowsTotal,
    long rowsDone,
    RowCounts counts,
    Codes codes,
    String actor,
    Instant startedAt,
    @Nullable Instant finishedAt,
    @Nullable Instant undoneAt,
    int run,
    String earlierRuns) {

  /// Whether a node processes it.
  public enum State {
    RUNNING("running"),
    /// No node does; submitting the same file again continues it.
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

  /// The results of the rows so far; their sum is the number of rows done.
  ///
  /// @param added new orders
  /// @param updated known orders that the file changed
  /// @param unchanged known orders, equal in the file
  /// @param duplicates rows that repeat another row of the file
  /// @param refused rows that were not imported, see the error file
  /// @param blank empty rows
  public record RowCounts(
      long added, long updated, long unchanged, long duplicates, long refused, long blank) {
    static final RowCounts NONE = new RowCounts(0, 0, 0, 0, 0, 0);
  }

  /// The effects of the orders' new states on issued codes; for a dry run, the expected effects.
  ///
  /// @param revoked unused codes of newly refunded orders
  /// @param restored codes that a refund had revoked, of orders that turned out to be paid
  /// @param inUse used codes of newly refunded orders: an operator decides on them
  public record Codes(long revoked, long restored, long inUse) {
    static final Codes NONE = new Codes(0, 0, 0);

    Codes plus(Codes more) {
      return new Codes(revoked + more.revoked, restored + more.restored, inUse + more.inUse);
    }
  }
}
