package fairgate.prove.stage;

import java.util.List;

/// Several wires that are held, cut and let go together: those of one node to all masters, or those
/// of all nodes to one.
public final class Wires {
  private final List<Wire> all;

  Wires(List<Wire> all) {
    this.all = List.copyOf(all);
  }

  List<Wire> all() {
    return all;
  }

  /// Puts the listener on every one.
  public void tap(Wire.Tap listener) {
    all.forEach(wire -> wire.tap(listener));
  }

  public void holdRequests() {
    all.forEach(Wire::holdRequests);
  }

  public void holdReplies() {
    all.forEach(Wire::holdReplies);
  }

  /// Whether anything is held at this moment.
  public boolean holding() {
    return all.stream().anyMatch(Wire::holding);
  }

  public void flow() {
    all.forEach(Wire::flow);
  }

  public void drop() {
    all.forEach(Wire::drop);
  }
}
