package fairgate.gate.limit;

import fairgate.platform.http.Reply;
import fairgate.platform.http.Request;

/// A check of the whole request before its limits are judged, such as bans and signatures. Skipped
/// when a limit of the address is already known to be used up. Runs on the event loop and must not
/// block.
@FunctionalInterface
public interface Inspector {
  /// Adds facts, such as the account or a nonce that is used up with the limits, or ends the
  /// request.
  Finding inspect(Request request, LimitFacts facts);

  /// The result of an inspection.
  sealed interface Finding {
    /// The request goes on to its limits.
    record Facts(LimitFacts facts) implements Finding {}

    /// The request is answered with this reply and counts in no limit.
    record Stop(Reply reply) implements Finding {}
  }
}
