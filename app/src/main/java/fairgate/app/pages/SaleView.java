package fairgate.app.pages;

import java.util.List;
import java.util.Optional;

/// The data of a sale's page for one visitor.
///
/// @param place the visitor's place in this sale
/// @param order the visitor's order
/// @param deposit see `PageSources.DepositOfVisitor`
/// @param problem reason why the last action was refused
record SaleView(
    Fields product,
    Optional<Fields> place,
    Optional<Fields> order,
    Optional<Fields> deposit,
    Optional<Problem> problem) {
  /// Why an action was refused, in the visitor's language.
  ///
  /// @param facts the number of the case, the reason, and what would help
  /// @param href a page that helps; empty for none
  /// @param label the text of the link to it
  record Problem(String text, List<RefusalPage.Fact> facts, String href, String label) {
    static final Problem NONE = new Problem("", List.of(), "", "");
  }

  static long ahead(Fields place) {
    String position =
        place.text("queue_status").equals("active")
            ? "queue_position_active"
            : "queue_position_waiting";
    return Math.max(0, place.number("people_ahead", place.number(position, 0)));
  }

  /// Whether the order of the places is hidden until the sale opens.
  static boolean orderHidden(Fields place) {
    return place.text("queue_status").equals("waiting")
        && place.number("queue_position_waiting", 0) < 0;
  }

  /// The visitor's deposit if it is in this state; see `Deposit.State`.
  Optional<Fields> deposit(String state) {
    return deposit.filter(fields -> fields.text("status").equals(state));
  }

  String id() {
    return product.text("id");
  }

  /// `idle`, `waiting`, `active`, `ready`, `pending`, `paid` or `ended`, as in the browser.
  String stage() {
    if (order.isPresent()) {
      String status = order.get().text("status");
      return status.equals("pending") || status.equals("paid") ? status : "ended";
    }
    return switch (place.map(fields -> fields.text("queue_status")).orElse("")) {
      case "waiting" -> "waiting";
      case "active" -> "active";
      case "ready_to_purchase" -> "ready";
      case "expired" -> "ended";
      default -> "idle";
    };
  }

  /// The number of completed steps (check, wait, buy, pay); -1 before the first.
  int step() {
    return switch (stage()) {
      case "waiting", "active" -> 1;
      case "ready" -> 2;
      case "pending" -> 3;
      case "paid" -> 4;
      default -> -1;
    };
  }
}
