package fairgate.draw.verify;

import fairgate.draw.tlog.Hash;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;

/// What a verification of a waiting room's draw has found.
///
/// @param announced the epochs with an announcement, in the order of the log; each beyond the first
///   is one that the operator must explain
/// @param draw empty when there is no announcement, or when it could not be read
public record RoomVerdict(
    VerdictCode code, String detail, String room, List<Long> announced, Optional<Found> draw) {
  public RoomVerdict {
    announced = List.copyOf(announced);
  }

  /// A draw.
  ///
  /// @param drawsAt time of the beacon round, seconds since 1970
  /// @param quorum witnesses that cosigned the announcement at least a minute before the round; 0
  ///   if none had to
  /// @param seed empty until the round has decided
  /// @param place of the caller's ticket, from 0
  public record Found(
      long epoch,
      long tickets,
      long round,
      long drawsAt,
      int quorum,
      Optional<Hash> seed,
      OptionalLong place) {}

  /// The warnings in the words of docs/api/draw-format.md.
  public List<String> warnings() {
    return draw.filter(it -> it.quorum() == 0).map(_ -> List.of("no_witness")).orElse(List.of());
  }

  public boolean isOk() {
    return code == VerdictCode.OK;
  }
}
