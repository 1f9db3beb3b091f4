package fairgate.gate.limit;

import java.time.Duration;
import java.util.List;

/// The decision on a call.
public sealed interface LimitVerdict {
  /// The call passes and is counted.
  ///
  /// @param giveBack to be run, on any thread, if the call is answered 503 or has done nothing:
  ///   then it counts no more; a repeat does nothing
  record Granted(Runnable giveBack) implements LimitVerdict {
    /// A grant with nothing to give back.
    static final Granted FOR_GOOD = new Granted(() -> {});
  }

  /// The call is refused and counts nowhere.
  ///
  /// @param violations every limit in its way, as far as looked at; at least one
  record Refused(List<Violation> violations) implements LimitVerdict {
    public Refused {
      violations = List.copyOf(violations);
    }

    /// The time until all these limits would let one call pass.
    public Duration retryAfter() {
      return Duration.ofNanos(violations.stream().mapToLong(Violation::waitNanos).max().orElse(0));
    }
  }

  /// The nonce was used before. Nothing was counted.
  record Replayed() implements LimitVerdict {}

  /// Redis did not answer in time, and a limit with the failure policy `closed` applies. Whether
  /// the call was counted is unknown.
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
