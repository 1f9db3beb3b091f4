package fairgate.sale.ledger;

import fairgate.kernel.OrderId;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/// What the ledger knows of one order: its state, its events, and the operators' notes. Blocks: for
/// virtual threads.
public interface OrderFile {
  /// A transition of the order, or a step of a refund.
  ///
  /// @param payment the payment that was made or goes back; null for none
  /// @param refund what goes back, in minor units; null when nothing does
  /// @param part the name of the part that goes back; null for all of it, or the rest
  record Event(
      long epoch,
      long seq,
      String kind,
      OrderStatus status,
      int version,
      Instant at,
      @Nullable String reason,
      @Nullable String payment,
      @Nullable Long refund,
      @Nullable String part) {}

  record Note(long id, Instant at, String actor, String text) {}

  /// The order; empty when the ledger has none with this id.
  Optional<LedgerOrder> find(OrderId id);

  List<Event> events(OrderId id);

  List<Note> notes(OrderId id);

  /// Adds a note. The same text on the same order is written once, and an order has at most 1,000
  /// notes.
  void addNote(OrderId id, String actor, String text);
}
