package fairgate.draw;

import fairgate.draw.beacon.BeaconChain;
import fairgate.draw.leaf.BeaconRound;
import fairgate.draw.leaf.HouseLeaf;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/// Beacon rounds from anybody: the signature proves them. A round belongs to its chain, so it
/// decides every draw that waits for it, of sales and of rooms. Calls block.
final class SubmittedRounds {
  private final Draws draws;
  private final DrawCourse course;
  private final RoomDraws rooms;

  SubmittedRounds(Draws draws, DrawCourse course, RoomDraws rooms) {
    this.draws = draws;
    this.course = course;
    this.rooms = rooms;
  }

  /// The outcome of a round that somebody has sent.
  enum Outcome {
    /// It decides at least one draw.
    ACCEPTED,
    /// It decided the draw before.
    KNOWN,
    /// It is not the signature of the round that decides.
    WRONG,
    /// No draw waits for it.
    NOT_NOW
  }

  /// Takes the round that decides a draw of a sale.
  Outcome submit(Draw draw, long round, byte[] signature) {
    Optional<HouseLeaf.Beacon> known = draw.beacon();
    if (known.isPresent()) {
      boolean isSame =
          known.get().round().round() == round && Arrays.equals(known.get().signature(), signature);
      return isSame ? Outcome.KNOWN : Outcome.WRONG;
    }
    if (!isWaiting(draw)) {
      return Outcome.NOT_NOW;
    }
    return round == draw.beaconRound().round()
        ? submit(draw.beaconRound(), signature)
        : Outcome.WRONG;
  }

  /// Takes a round of a chain. A repeat finds no draw that waits any more.
  Outcome submit(BeaconRound round, byte[] signature) {
    List<Draw> waiting =
        draws.all().stream()
            .filter(draw -> isWaiting(draw) && draw.beaconRound().equals(round))
            .toList();
    List<RoomDraw> waitingRooms = rooms.waiting(round);
    Optional<BeaconChain> chain =
        Stream.concat(
                waiting.stream().map(Draw::decidingChain),
                waitingRooms.stream().map(RoomDraw::chain))
            .findFirst();
    if (chain.isEmpty()) {
      return Outcome.NOT_NOW;
    }
    if (!chain.get().verifies(round.round(), signature)) {
      return Outcome.WRONG;
    }
    boolean isFirst = !waitingRooms.isEmpty();
    for (Draw draw : waiting) {
      isFirst |= course.keepBeacon(draw, signature);
    }
    rooms.decide(waitingRooms, signature);
    if (!waiting.isEmpty()) {
      draws.refresh();
    }
    return isFirst ? Outcome.ACCEPTED : Outcome.NOT_NOW;
  }

  private static boolean isWaiting(Draw draw) {
    return draw.state() == DrawState.SEALED && draw.beacon().isEmpty();
  }
}
