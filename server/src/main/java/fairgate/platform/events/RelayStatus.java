package fairgate.platform.events;

import fairgate.kernel.ProductId;
import java.time.Duration;
import java.time.Instant;
import java.util.List;

/// How far behind the relays are, seen from one of them.
///
/// @param streams one member per outbox
/// @param deadLetters parked and unresolved entries, as last counted
/// @param parked entries this relay has parked since it started
/// @param working whether the last step went well; false while an engine is away
/// @param measuredAt when this was measured
public record RelayStatus(
    List<StreamLag> streams, long deadLetters, long parked, boolean working, Instant measuredAt) {
  public RelayStatus {
    streams = List.copyOf(streams);
  }

  /// The backlog of one outbox.
  ///
  /// @param undelivered entries no relay has read
  /// @param pending entries read and not finished
  /// @param oldest age of the oldest unfinished entry
  public record StreamLag(ProductId product, long undelivered, long pending, Duration oldest) {}

  /// What all of these say together: the lines of one relay.
  static RelayStatus of(List<RelayStatus> lines, Instant now) {
    return new RelayStatus(
        lines.stream().flatMap(line -> line.streams().stream()).toList(),
        lines.stream().mapToLong(RelayStatus::deadLetters).max().orElse(0),
        lines.stream().mapToLong(RelayStatus::parked).sum(),
        lines.stream().allMatch(RelayStatus::working),
        lines.stream().map(RelayStatus::measuredAt).min(Instant::compareTo).orElse(now));
  }

  /// Unfinished entries of all outboxes.
  public long lag() {
    return streams.stream().mapToLong(s -> s.undelivered() + s.pending()).sum();
  }

  /// Age of the oldest unfinished entry.
  public Duration oldest() {
    return streams.stream().map(StreamLag::oldest).max(Duration::compareTo).orElse(Duration.ZERO);
  }
}
