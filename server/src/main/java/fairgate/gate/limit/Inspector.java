package fairgate.gate.limit;

import fairgate.platform.http.Reply;
import fairgate.platform.http.Request;

/// Another part of the gate that looks at a whole request before its limits are judged: bans,
/// signatures. Not asked where the address is known to have used up a limit: whatever else the
/// request is, it is refused. Runs on the event loop and must not block.
@FunctionalInterface
public interface Inspector {
  /// Adds to the facts what it finds out, such as whose call it is or a nonce to be spent with the
  /// limits; or ends the request.
  Finding inspect(Request request, LimitFacts facts);

  /// What an inspection came to.
  sealed interface Finding {
    /// The request goes on to its limits.
    record Facts(LimitFacts facts) implements Finding {}

    /// The request gets this answer, and counts in no limit.
    record Stop(Reply reply) implements Finding {}
  }
}
