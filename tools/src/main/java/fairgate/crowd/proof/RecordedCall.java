package fairgate.crowd.proof;

import com.fasterxml.jackson.databind.node.MissingNode;
import fairgate.crowd.Answer;

/// One call to the server and its answer.
///
/// @param who the person; several may share a device
/// @param sale the product; empty where none is meant
/// @param session of a purchase or a look; the payment's id of a callback
/// @param key idempotency key of a purchase; order of a cancellation, a refund or a callback;
///   method and path of any other operator's call
/// @param token the purchase token that was shown; empty without
/// @param quantity units of a purchase
/// @param sent `System.nanoTime()` before the call
/// @param got the same after its answer, or when it was given up
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
    return new RecordedCall(
        act, "", sale, session, key, "", 0, 0, 0, new Answer(0, MissingNode.getInstance()));
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
