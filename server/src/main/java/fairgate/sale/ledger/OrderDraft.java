package fairgate.sale.ledger;

import fairgate.sale.ledger.LedgerEvent.Edge;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/// An order as it builds up from what is stored and from new events, in whatever order they came.
///
/// Every field follows a rule that does not depend on the order of events: the facts of the edge
/// with the highest version, the payment of the paying edge with the highest version, the earliest
/// and the latest time.
final class OrderDraft {
  private Edge edge;
  private int version;
  private int quantity;
  private int paidVersion;
  private @Nullable String payment;
  private @Nullable Instant paidAt;
  private Instant createdAt;
  private Instant updatedAt;
  private int heldBefore;
  private int confirmedBefore;

  /// Starts from an event.
  OrderDraft(LedgerEvent event, Edge edge) {
    this.edge = edge;
    this.version = event.version();
    this.quantity = event.quantity();
    this.createdAt = event.at();
    this.updatedAt = event.at();
    add(event, edge);
  }

  void add(LedgerEvent event, Edge facts) {
    add(event.version(), event.quantity(), facts);
    if (event.pays()) {
      String by = facts.why().payment();
      pay(event.version(), event.at(), by.isEmpty() ? null : by);
    }
    span(event.at(), event.at());
  }

  /// Adds what PostgreSQL has of the order.
  void stored(int storedVersion, int units, Edge facts) {
    heldBefore = facts.status().held(units);
    confirmedBefore = facts.status().confirmed(units);
    add(storedVersion, units, facts);
  }

  private void add(int byVersion, int units, Edge facts) {
    if (byVersion > version) {
      version = byVersion;
      quantity = units;
      edge = facts;
    }
  }

  void pay(int byVersion, @Nullable Instant at, @Nullable String by) {
    if (byVersion > paidVersion) {
      paidVersion = byVersion;
      paidAt = at;
      payment = by;
    }
  }

  void span(Instant first, Instant last) {
    createdAt = first.isBefore(createdAt) ? first : createdAt;
    updatedAt = last.isAfter(updatedAt) ? last : updatedAt;
  }

  /// By how much the units held change.
  int heldDelta() {
    return edge.status().held(quantity) - heldBefore;
  }

  /// By how much the units owned change.
  int confirmedDelta() {
    return edge.status().confirmed(quantity) - confirmedBefore;
  }

  /// Whether the order holds or owns units.
  boolean live() {
    return edge.status() == OrderStatus.PENDING || edge.status() == OrderStatus.PAID;
  }

  Edge facts() {
    return edge;
  }

  int version() {
    return version;
  }

  int quantity() {
    return quantity;
  }

  int paidVersion() {
    return paidVersion;
  }

  @Nullable String payment() {
    return payment;
  }

  @Nullable Instant paidAt() {
    return paidAt;
  }

  Instant createdAt() {
    return createdAt;
  }

  Instant updatedAt() {
    return updatedAt;
  }
}
