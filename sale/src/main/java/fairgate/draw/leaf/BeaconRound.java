package fairgate.draw.leaf;

/// A round of a beacon.
///
/// @param chain hash of the chain, 64 hexadecimal digits
public record BeaconRound(String chain, long round) {
  @Override
  public String toString() {
    return chain + ' ' + round;
  }
}
