package fairgate.draw;

import fairgate.draw.beacon.BeaconChain;
import fairgate.draw.leaf.RoomLeaf;
import fairgate.kernel.OrderDraws;
import java.util.HexFormat;
import java.util.Optional;

/// The draw of a waiting room's order, as PostgreSQL keeps it.
///
/// @param chainInfo the beacon chain as drand's `/info` describes it; empty for quicknet
/// @param index of the announcement in the house log
/// @param proof of the announcement against a checkpoint that the witnesses cosigned in time; empty
///   while there is none
record RoomDraw(
    RoomLeaf.Seal seal,
    String chainInfo,
    long index,
    String proof,
    Optional<RoomLeaf.Result> result) {
  BeaconChain chain() {
    return chainInfo.isEmpty() ? BeaconChain.QUICKNET : Draw.Chains.parse(chainInfo);
  }

  /// When the beacon round comes, seconds since 1970.
  long drawsAt() {
    return chain().timeOf(seal.beacon().round());
  }

  OrderDraws.State state() {
    int tickets = Math.toIntExact(seal.tickets());
    return result
        .<OrderDraws.State>map(
            decided ->
                new OrderDraws.State.Decided(
                    tickets, HexFormat.of().formatHex(decided.seed().bytes())))
        .orElseGet(() -> new OrderDraws.State.Waiting(tickets, drawsAt()));
  }
}
