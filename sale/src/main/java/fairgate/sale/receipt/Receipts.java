package fairgate.sale.receipt;

import fairgate.kernel.OrderId;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// The receipts of orders, for operators. Blocks: for virtual threads.
public interface Receipts {
  /// A receipt and what became of it.
  ///
  /// @param state `due`, `sent` (handed to the message service), `no_contact` or `failed`
  /// @param channel `email` or `line`; null until it is known
  record Status(
      String event, String state, @Nullable String channel, int rounds, Instant createdAt) {}

  /// The receipts of the order, oldest first.
  List<Status> of(OrderId order);

  /// Sends the newest receipt of the order again, if it does not wait to be sent anyway. False if
  /// there is none, or if it was sent ten times.
  boolean resend(OrderId order);

  /// Ends the links of the order in all messages that were sent so far.
  void endLinks(OrderId order);
}
