package fairgate.standby;

import fairgate.kernel.OrderId;
import fairgate.kernel.ProductId;
import fairgate.kernel.SessionId;
import fairgate.kernel.Word;
import fairgate.queue.ListTurnScript;
import fairgate.queue.Seat;
import io.vertx.core.Future;
import java.time.Instant;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/// A person on the waiting list of a sale.
///
/// @param device hash of the browser within the sale
/// @param user as whom the sale counts the person; the same as `device` for a guest
/// @param session with which the person registered
/// @param offer the session that takes the units; null before the first try
/// @param order the reserved units; null before
/// @param seat behind others, or held for a review, because of the risk of the person
/// @param decision the id of the decision on the seat; null for none
/// @param since the time of the registration; null before it is stored
public record StandbyEntry(
    String id,
    ProductId product,
    String device,
    String user,
    SessionId session,
    int quantity,
    State state,
    @Nullable SessionId offer,
    @Nullable OrderId order,
    Seat seat,
    @Nullable String decision,
    @Nullable Instant since) {

  /// Tells the queue that this entry is the first of its list. True if its turn has come.
  Future<Boolean> turn(ListTurnScript script, ListTurnScript.Registrations list) {
    ListTurnScript.Registration first =
        new ListTurnScript.Registration(Objects.requireNonNull(since), seat);
    return script.first(product, first, quantity, list);
  }

  /// Whether the person waits, or its units are being reserved.
  public boolean isLive() {
    return state == State.WAITING || state == State.OFFERING;
  }

  public enum State implements Word {
    WAITING,
    OFFERING,
    /// Its units are reserved: `order`.
    OFFERED,
    /// The sale's limits did not permit the purchase.
    REFUSED,
    WITHDRAWN
  }
}
