package fairgate.gate.limit;

import java.time.Duration;
import java.util.List;

/// What the limits make of a call.
public sealed interface LimitVerdict {
  /// The call passes, and counts.
  record Granted() implements LimitVerdict {}

  /// The call does not pass, and counts nowhere.
  ///
  /// @param violations every limit in its way, as far as looked at; at least one
  record Refused(List<Violation> violations) implements LimitVerdict {
    public Refused {
      violations = List.copyOf(violations);
    }

    /// When all these limits would let one call pass, if nobody else came.
    public Duration retryAfter() {
      return Duration.ofNanos(violations.stream().mapToLong(Violation::waitNanos).max().orElse(0));
    }
  }

  /// What may be used once has been used before. Nothing was counted.
  record Replayed() implements LimitVerdict {}

  /// Redis cannot be asked in time, and a limit lets nobody pass then. Whether the call was counted
  /// is unknown.
  record Unavailable() implements LimitVerdict {}

  /// One limit in the way.
  ///
  /// @param waitNanos until it would let one call pass
  /// @param sureNanos how long that is believed without asking again, at most `waitNanos`
  record Violation(LimitRule rule, long waitNanos, long sureNanos) {
    public Violation(LimitRule rule, long waitNanos) {
      this(rule, waitNanos, waitNanos);
    }
  }
}
