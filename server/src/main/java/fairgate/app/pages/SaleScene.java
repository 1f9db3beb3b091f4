package fairgate.app.pages;

import java.util.Optional;

/// Everything a sale's page shows to one visitor.
///
/// @param place his place in this sale's line, if he has one
/// @param order his order, once he bought
/// @param problem why what he just asked for was refused
record SaleScene(
    Fields product, Optional<Fields> place, Optional<Fields> order, Optional<String> problem) {
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

  /// How many of the four steps (check, wait, buy, pay) lie behind; -1 before the first.
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
