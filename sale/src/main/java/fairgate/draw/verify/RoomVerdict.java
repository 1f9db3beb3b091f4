package fairgate.draw.verify;

import fairgate.draw.tlog.Hash;
import java.util.ArrayList;
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
  /// @param isOfEarlierRoom whether the room was deleted and created again since
  /// @param seed empty until the round has decided
  /// @param place of the caller's ticket, from 0
  public record Found(
      long epoch,
      long tickets,
      long round,
      long drawsAt,
      int quorum,
      boolean isOfEarlierRoom,
      Optional<Hash> seed,
      OptionalLong place) {}

  /// The warnings in the words of docs/api/draw-format.md.
  public List<String> warnings() {
    List<String> warnings = new ArrayList<>();
    draw.filter(it -> it.quorum() == 0).ifPresent(_ -> warnings.add("no_witness"));
    draw.filter(Found::isOfEarlierRoom).ifPresent(_ -> warnings.add("earlier_room"));
    return List.copyOf(warnings);
  }

  public boolean isOk() {
    return code == VerdictCode.OK;
  }
}
