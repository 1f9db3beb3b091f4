package fairgate.gate.limit;

import fairgate.platform.http.Reply;
import java.time.Duration;
import java.util.List;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

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

  /// The call is refused and counts nowhere. While it is cached, many calls get the same object.
  final class Refused implements LimitVerdict {
    private final List<Violation> violations;
    private volatile @Nullable Reply reply;

    /// @param violations every limit in its way; at least one
    Refused(List<Violation> violations) {
      this.violations = List.copyOf(violations);
    }

    public List<Violation> violations() {
      return violations;
    }

    /// The reply to all calls that get this refusal, built for the first of them.
    Reply reply(Supplier<Reply> build) {
      Reply built = reply;
      if (built == null) {
        built = build.get();
        reply = built;
      }
      return built;
    }

    /// The time until all these limits would let one call pass.
    public Duration retryAfter() {
      return Duration.ofNanos(violations.stream().mapToLong(Violation::waitNanos).max().orElse(0));
    }
  }

  record Replayed() implements LimitVerdict {}

  /// Redis did not answer in time, and a limit with the failure policy `closed` applies. Whether
  /// the call was counted is unknown.
  record Unavailable() implements LimitVerdict {}

  /// One limit in the way.
  ///
  /// @param waitNanos until it would let one call pass
  record Violation(LimitRule rule, long waitNanos) {}
}
