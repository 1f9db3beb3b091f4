package fairgate.sale.ledger;

import fairgate.sale.ledger.LedgerEvent.Edge;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/// An order that is merged from its stored state and new events, in any order.
///
/// The result does not depend on the order of events: it takes the facts of the highest version,
/// the payment of the highest paying version, and the earliest and latest time.
final class OrderDraft {
  private Edge edge;
  private int version;
  private int quantity;
  private int paidVersion;
  private @Nullable String payment;
  private @Nullable Instant paidAt;
  private @Nullable String deposit;
  private Instant createdAt;
  private Instant updatedAt;
  private int heldBefore;
  private int confirmedBefore;

  OrderDraft(LedgerEvent event, Edge edge) {
    this.edge = edge;
    this.version = event.version();
    this.quantity = event.quantity();
    this.createdAt = event.at();
    this.updatedAt = event.at();
    add(event, edge);
  }

  void add(LedgerEvent event, Edge facts) {
    if (facts.deposit() != null) {
      deposit = facts.deposit();
    }
    add(event.version(), event.quantity(), facts);
    if (event.pays()) {
      String by = facts.why().payment();
      pay(event.version(), event.at(), by.isEmpty() ? null : by);
    }
    span(event.at(), event.at());
  }

  /// Merges the stored state of the order.
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

  /// The change of the held units.
  int heldDelta() {
    return edge.status().held(quantity) - heldBefore;
  }

  /// The change of the owned units.
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

  /// The deposit that the order used, if these events tell; else the stored one stays.
  @Nullable String deposit() {
    return deposit;
  }

  Instant createdAt() {
    return createdAt;
  }

  Instant updatedAt() {
    return updatedAt;
  }
}
