package fairgate.crowd.proof;

import fairgate.crowd.Answer;
import fairgate.crowd.CrowdClient;

/// One call to the server and its reply.
///
/// @param who the person; several may share a device
/// @param sale the product; empty if the call has none
/// @param session of a purchase or a status call; the payment's id of a callback; the scan of a
///   check-in
/// @param key idempotency key of a purchase; ticket of a check-in; order of a cancellation, a
///   refund or a callback; method and path of other operator's calls
/// @param token the purchase token of the call; empty without
/// @param quantity units of a purchase
/// @param sent `System.nanoTime()` before the call
/// @param got the same after its reply, or after the timeout
public record RecordedCall(
    CallType act,
    String who,
    String sale,
    String session,
    String key,
    String token,
    int quantity,
    long sent,
    long got,
    Answer answer) {
  /// A call that has no answer yet.
  static RecordedCall about(CallType act, String sale, String session, String key) {
    return new RecordedCall(act, "", sale, session, key, "", 0, 0, 0, CrowdClient.NO_ANSWER);
  }

  /// Whether the server accepted the call.
  public boolean ok() {
    return answer.ok();
  }

  /// The order id in the answer to a purchase; empty without one.
  public String order() {
    return answer.text("order_id");
  }
}
