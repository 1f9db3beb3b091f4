package fairgate.draw.store;

import fairgate.draw.tlog.StrictText;
import fairgate.platform.audit.AuditLog.ClosedDay;
import fairgate.platform.run.PeriodicJob;
import java.time.Duration;
import java.util.Base64;
import java.util.HexFormat;
import java.util.List;
import java.util.function.LongFunction;
import java.util.function.Supplier;

/// Writes what does not belong to a draw into the house log each minute, so that the witnesses of
/// draws also cosign it: the heads of the audit log's days, and the steps of the risk policy. All
/// nodes do this; a leaf stands in the log once.
public final class HouseNotes implements AutoCloseable {
  private static final Duration EVERY = Duration.ofMinutes(1);

  /// Steps are read again this far back, because a transaction with a lower id may commit later.
  private static final long OVERLAP = 100;

  private final DrawLogs logs;
  private final String origin;
  private final Sources sources;
  private final PeriodicJob job =
      new PeriodicJob("house-notes", EVERY, this::write).withFirstPassAtOnce();
  private long lastStep;

  /// Where the notes come from.
  ///
  /// @param days the latest days of the audit log that have ended
  /// @param steps the steps of the risk policy after an id, oldest first
  public record Sources(Supplier<List<ClosedDay>> days, LongFunction<List<Step>> steps) {}

  /// A step of the risk policy.
  ///
  /// @param step such as `activated`
  /// @param sha256 of the version's bundle, 64 hexadecimal digits
  /// @param at seconds since 1970
  public record Step(long id, long version, String step, String sha256, long at) {
    byte[] leaf() {
      return StrictText.bytes(
          "fairgate-policy/1\nstep %d %s\nversion %d\nbundle %s\nat %d\n"
              .formatted(id, step, version, base64(sha256), at));
    }
  }

  /// @param origin of the house log
  public HouseNotes(DrawLogs logs, String origin, Sources sources) {
    this.logs = logs;
    this.origin = origin;
    this.sources = sources;
  }

  /// Starts with a pass at once.
  public void start() {
    job.start();
  }

  /// Writes what is missing. Blocks.
  void write() {
    sources.days().get().stream()
        .sorted((a, b) -> a.day().compareTo(b.day()))
        .forEach(day -> append(leaf(day)));
    List<Step> steps = sources.steps().apply(Math.max(0, lastStep - OVERLAP));
    for (Step step : steps) {
      append(step.leaf());
      lastStep = Math.max(lastStep, step.id());
    }
  }

  private static byte[] leaf(ClosedDay day) {
    return StrictText.bytes(
        "fairgate-audit-day/1\nday %s\nevents %d\nhead %s\n"
            .formatted(day.day(), day.events(), base64(day.head())));
  }

  private void append(byte[] leaf) {
    var _ = logs.append(origin, leaf).await();
  }

  private static String base64(String hex) {
    return Base64.getEncoder().encodeToString(HexFormat.of().parseHex(hex));
  }

  @Override
  public void close() {
    job.close();
  }
}
