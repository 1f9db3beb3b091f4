package fairgate.crowd.rehearsal;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.List;

/// What to run of the attack zoo.
///
/// @param crowds letters of the crowds, in the order to run them
/// @param honest people of the control group
/// @param scale share of the people of each crowd who come, above 0 to 1, for a quick try
/// @param policy fields that replace those of every sale's policy
public record ZooPlan(List<Character> crowds, int honest, double scale, ObjectNode policy) {
  /// All crowds.
  static final List<NamedCrowd> ALL =
      List.of(
          NamedCrowd.ONE_ADDRESS,
          NamedCrowd.ONE_SITE,
          NamedCrowd.RESIDENTIAL,
          NamedCrowd.MANY_NUMBERS,
          NamedCrowd.HUMANS_AT_THE_GATE,
          NamedCrowd.ABSENTEES,
          NamedCrowd.ONE_NAT,
          NamedCrowd.SLOW_VISITORS,
          NamedCrowd.IDLERS,
          NamedCrowd.REPLAYED_MOVEMENT,
          NamedCrowd.STRAIGHT_MOVEMENT);

  public ZooPlan {
    crowds = List.copyOf(crowds);
  }

  /// The letters of all crowds.
  public static List<Character> letters() {
    return ALL.stream().map(NamedCrowd::letter).toList();
  }

  /// A policy's fields from JSON. Throws IllegalArgumentException for anything but an object.
  public static ObjectNode policy(String json) {
    return CrowdSale.parsed(json);
  }

  List<NamedCrowd> chosen() {
    return ALL.stream().filter(crowd -> crowds.contains(crowd.letter())).toList();
  }

  int people(NamedCrowd crowd) {
    return (int) Math.max(1, Math.round(crowd.size() * scale));
  }
}
