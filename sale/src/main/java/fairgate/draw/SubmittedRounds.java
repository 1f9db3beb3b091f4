package fairgate.draw;

import fairgate.draw.RoomDraws.RoomDraw;
import fairgate.draw.beacon.BeaconChain;
import fairgate.draw.leaf.BeaconRound;
import fairgate.draw.leaf.HouseLeaf;
import fairgate.kernel.ServiceUnavailable;
import fairgate.platform.http.InvalidRequest;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Semaphore;
import java.util.stream.Stream;

/// Beacon rounds from anybody: the signature proves them. A round belongs to its chain, so it
/// decides every draw that waits for it, of sales and of rooms. Calls block.
final class SubmittedRounds {
  /// The clocks of a beacon and of PostgreSQL may differ by this time.
  private static final long SKEW_SECONDS = 2;

  private static final int MAX_LISTED = 20;

  /// Verifying a signature takes a processor some ten milliseconds.
  private static final int MAX_VERIFICATIONS = 2;

  private final Draws draws;
  private final DrawCourse course;
  private final RoomDraws rooms;
  private final DrawFeature.Config config;
  private final Clock clock;
  private final Semaphore verifications = new Semaphore(MAX_VERIFICATIONS);

  /// Anybody can ask, so callers at the same time share one look at the database.
  private final SharedCalls<List<RoomDraw>> waitingRooms = new SharedCalls<>();

  /// @param config its chains are known though no draw uses them yet
  /// @param clock the time of PostgreSQL
  SubmittedRounds(
      Draws draws, DrawCourse course, RoomDraws rooms, DrawFeature.Config config, Clock clock) {
    this.draws = draws;
    this.course = course;
    this.rooms = rooms;
    this.config = config;
    this.clock = clock;
  }

  enum Outcome {
    /// It decides at least one draw.
    ACCEPTED,
    /// It decided the draw before.
    KNOWN,
    /// It is not the signature of the round that decides.
    WRONG,
    /// No draw waits for it.
    NOT_NOW,
    UNKNOWN_CHAIN
  }

  /// Takes the round that decides a draw of a sale. Throws InvalidRequest before its time.
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

  /// Takes a round of a chain. A repeat finds no draw that waits any more. Throws InvalidRequest
  /// before the time of the round: a beacon whose keys have leaked decides nothing early; throws
  /// ServiceUnavailable while others are verified.
  Outcome submit(BeaconRound round, byte[] signature) {
    List<Draw> waiting =
        draws.all().stream()
            .filter(draw -> isWaiting(draw) && draw.beaconRound().equals(round))
            .toList();
    List<RoomDraw> waitingRooms =
        waitingRooms().stream().filter(draw -> draw.seal().beacon().equals(round)).toList();
    Optional<BeaconChain> chain =
        Stream.concat(
                waiting.stream().map(Draw::decidingChain),
                waitingRooms.stream().map(RoomDraw::chain))
            .findFirst();
    if (chain.isEmpty()) {
      return known().anyMatch(round.chain()::equals) ? Outcome.NOT_NOW : Outcome.UNKNOWN_CHAIN;
    }
    long due = chain.get().timeOf(round.round());
    if (due > clock.millis() / 1000 + SKEW_SECONDS) {
      throw new InvalidRequest("round", "early_round", Instant.ofEpochSecond(due));
    }
    if (!verifies(chain.get(), round, signature)) {
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

  /// Only rounds that are awaited come here: others cannot keep them from being verified.
  private boolean verifies(BeaconChain chain, BeaconRound round, byte[] signature) {
    if (!verifications.tryAcquire()) {
      throw new ServiceUnavailable("other rounds are being verified", Duration.ofSeconds(1));
    }
    try {
      return chain.verifies(round.round(), signature);
    } finally {
      verifications.release();
    }
  }

  private List<RoomDraw> waitingRooms() {
    return waitingRooms.get("", rooms::waiting);
  }

  /// The hashes of the chains that are known here, of new draws first. At most 20.
  List<String> chains() {
    return known().distinct().limit(MAX_LISTED).toList();
  }

  private Stream<String> known() {
    return Stream.of(
            Stream.of(config.chain().hash()),
            config.secondChain().stream().map(BeaconChain::hash),
            draws.all().stream()
                .filter(draw -> !draw.state().isOver())
                .flatMap(SubmittedRounds::of),
            waitingRooms().stream().map(draw -> draw.seal().beacon().chain()))
        .flatMap(chains -> chains);
  }

  private static Stream<String> of(Draw draw) {
    return Stream.concat(
        Stream.of(draw.rules().beacon().chain()),
        draw.rules().secondBeacon().stream().map(BeaconRound::chain));
  }

  /// The rounds of a chain that sealed draws wait for, the earliest first. At most 20.
  List<Long> awaited(String chain) {
    return Stream.concat(
            draws.all().stream().filter(SubmittedRounds::isWaiting).map(Draw::beaconRound),
            waitingRooms().stream().map(draw -> draw.seal().beacon()))
        .filter(round -> round.chain().equals(chain))
        .map(BeaconRound::round)
        .distinct()
        .sorted()
        .limit(MAX_LISTED)
        .toList();
  }

  private static boolean isWaiting(Draw draw) {
    return draw.state() == Draw.State.SEALED && draw.beacon().isEmpty();
  }
}
