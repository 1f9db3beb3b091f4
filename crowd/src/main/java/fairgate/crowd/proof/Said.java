package fairgate.crowd.proof;

import com.fasterxml.jackson.databind.node.MissingNode;
import fairgate.crowd.Answer;

/// One call and what was answered to it.
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
public record Said(
    Act act,
    String who,
    String sale,
    String session,
    String key,
    String token,
    int quantity,
    long sent,
    long got,
    Answer answer) {
  /// What a call is about, before it is made.
  static Said about(Act act, String sale, String session, String key) {
    return new Said(
        act, "", sale, session, key, "", 0, 0, 0, new Answer(0, MissingNode.getInstance()));
  }

  /// Whether the answer was success.
  public boolean ok() {
    return answer.ok();
  }

  /// The order that a purchase was answered with; empty when none was.
  public String order() {
    return answer.text("order_id");
  }
}
