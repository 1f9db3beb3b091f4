package fairgate.prove.check;

import static fairgate.prove.check.Invariant.I43;

import java.util.HashSet;
import java.util.List;
import java.util.Set;

/// Checks the purchase windows of one sale, look by look.
///
/// The places with a window are always the first active ones: whoever waited first has the first
/// turn, also after units came back or a batch came. No window opens while no unit is free for it.
/// There can be more windows than free units for a moment, because a purchase can take several and
/// a late payment takes units again. So a new window counts only between two looks without an event
/// of the sale: the free units were the same all the time.
final class TurnCheck {
  private Set<String> before = Set.of();
  private String events = "";

  /// A look at a sale.
  ///
  /// @param events the epoch and the number of the sale's last event
  /// @param free units
  /// @param active the sessions in their order
  record Look(String product, String events, long free, List<String> active, List<String> ready) {}

  void look(Look look, InvariantResults tally) {
    Set<String> ready = new HashSet<>(look.ready());
    long first = look.active().stream().limit(ready.size()).filter(ready::contains).count();
    tally.that(
        I43,
        first == ready.size(),
        "%s: the turns of %s are not those of the first of %s",
        look.product(),
        look.ready(),
        look.active());
    boolean opened = !before.containsAll(ready);
    tally.that(
        I43,
        !opened || ready.size() <= look.free() || !look.events().equals(events),
        "%s: a turn began while there were %d turns and %d free units",
        look.product(),
        ready.size(),
        look.free());
    before = ready;
    events = look.events();
  }
}
