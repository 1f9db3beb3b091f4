package fairgate.draw.leaf;

import java.util.List;

/// The account of all units of a draw.
///
/// @param stock units in all
/// @param holdbacks units that were never in the draw
/// @param issued units bought by entries for which there were units from the start
/// @param passed units bought by entries to which others passed them on
/// @param unsold units that nobody bought
public record AllocationReport(long stock, long holdbacks, long issued, long passed, long unsold) {
  /// The account of these allotments, which are in order of rank.
  public static AllocationReport of(long stock, long holdbacks, List<Allotment> allotments) {
    long units = stock - holdbacks;
    long offered = 0;
    long issued = 0;
    long passed = 0;
    for (Allotment each : allotments) {
      if (offered + each.units() <= units) {
        issued += each.bought();
      } else {
        passed += each.bought();
      }
      offered += each.units();
    }
    return new AllocationReport(stock, holdbacks, issued, passed, units - issued - passed);
  }

  /// Whether every unit is accounted for exactly once.
  public boolean addsUp() {
    return unsold >= 0 && issued + passed + unsold + holdbacks == stock;
  }
}
