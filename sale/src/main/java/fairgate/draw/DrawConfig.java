package fairgate.draw;

import fairgate.draw.beacon.BeaconChain;
import fairgate.draw.witness.Witnesses;
import java.time.Duration;
import java.time.ZoneId;
import java.util.List;
import java.util.Optional;

/// Settings of draws.
///
/// @param logName name of the logs of this installation, such as `shop.example/fairgate`
/// @param chains the beacon chains of new draws
/// @param beaconUrls addresses of drand's HTTP API, in the order in which they are asked
/// @param zone default time zone of the hours at which offers may end
/// @param patience time after a beacon round before its fallback round decides
/// @param witnesses of the house log, and how many must cosign
/// @param roomMargin time between the announcement of a room's draw and its beacon round
/// @param pass interval between the steps of a draw
public record DrawConfig(
    String logName,
    Draw.Chains chains,
    List<String> beaconUrls,
    ZoneId zone,
    Duration patience,
    Witnesses.Config witnesses,
    Duration roomMargin,
    Duration pass) {
  public DrawConfig {
    beaconUrls = List.copyOf(beaconUrls);
  }

  /// The chain of new draws.
  BeaconChain chain() {
    return chains.first().isEmpty() ? BeaconChain.QUICKNET : Draw.Chains.parse(chains.first());
  }

  /// The chain of the second beacon of new draws.
  Optional<BeaconChain> secondChain() {
    return chains.second().isEmpty()
        ? Optional.empty()
        : Optional.of(Draw.Chains.parse(chains.second()));
  }
}
