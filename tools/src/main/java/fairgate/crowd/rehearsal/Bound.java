package fairgate.crowd.rehearsal;

import static fairgate.crowd.rehearsal.BuyerIdentity.DEVICE;
import static fairgate.crowd.rehearsal.BuyerIdentity.PHONE;

import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.ToDoubleFunction;
import java.util.stream.Stream;

/// One line of the contract: a value and its bound.
///
/// @param crowd the letter of the crowd
/// @param text for reports, before the bound
/// @param side on which the value has to be
/// @param needsAllowList whether it holds only if the crowd's address is allow-listed
record Bound(
    char crowd,
    BuyerIdentity identity,
    String text,
    ToDoubleFunction<CrowdResult> value,
    Side side,
    double bound,
    boolean needsAllowList) {

  /// The side of a bound.
  enum Side {
    AT_MOST("at most "),
    MORE_THAN("more than ");

    private final String text;

    Side(String text) {
      this.text = text;
    }
  }

  private static final Map<Character, String> MOVEMENT =
      Map.of('j', "repeated_movement", 'k', "straight_movement");

  /// The contract.
  static final List<Bound> ALL =
      Stream.of(
              Stream.of(
                  most('a', DEVICE, "units of 100", CrowdResult::units, 5),
                  most('a', PHONE, "units of 100", CrowdResult::units, 2),
                  most('b', DEVICE, "units of 1,000", CrowdResult::units, 50),
                  most('b', PHONE, "units of 1,000", CrowdResult::units, 2),
                  most('c', DEVICE, "places, for 500 browsers", CrowdResult::places, 500),
                  most('c', PHONE, "places, for 500 numbers", CrowdResult::places, 500),
                  new Bound(
                      'c',
                      PHONE,
                      "cost of a place, in costs of an honest one",
                      CrowdResult::timesHonestCost,
                      Side.MORE_THAN,
                      3,
                      false)),
              risk('c', DEVICE),
              risk('c', PHONE),
              Stream.of(
                  most('d', PHONE, "places that bought, for 50 numbers", CrowdResult::buyers, 50),
                  most('d', PHONE, "units, at 2 a number", CrowdResult::units, 100),
                  most(
                      'd',
                      PHONE,
                      "places behind that were told no reason",
                      CrowdResult::withoutReason,
                      0)),
              risk('d', DEVICE),
              risk('d', PHONE),
              risk('e', DEVICE),
              risk('e', PHONE),
              Stream.of(DEVICE, PHONE)
                  .map(identity -> most('f', identity, "longest delay, s", r -> r.delay(100), 25)),
              Stream.of(DEVICE, PHONE).flatMap(Bound::sharedAddress),
              Stream.of(DEVICE, PHONE).flatMap(identity -> people('h', identity)),
              Stream.of(most('i', DEVICE, "longest delay, s", r -> r.delay(100), 20)),
              Stream.of('j', 'k').flatMap(Bound::movement))
          .flatMap(lines -> lines)
          .toList();

  /// What risk does to a crowd of programs, and to the people beside them.
  private static Stream<Bound> risk(char crowd, BuyerIdentity identity) {
    return Stream.of(
        most(crowd, identity, "% of its units bought in front", CrowdResult::percentInFront, 5),
        most(
            crowd,
            identity,
            "% of honest visitors challenged twice",
            r -> percent(CrowdResult.challengedTwice(r.honest()), r.honest().size()),
            0.5),
        most(
            crowd,
            identity,
            "% of honest visitors seated behind",
            r -> percent(CrowdResult.behind(r.honest()), r.honest().size()),
            0.5),
        most(
            crowd,
            identity,
            "% of honest visitors who bought nothing",
            r -> percent(CrowdResult.withoutUnits(r.honest()), r.honest().size()),
            5),
        most(
            crowd,
            identity,
            "refusals without an accepted appeal",
            r -> r.appealProblems().size(),
            0));
  }

  /// The movement of programs is recorded, and challenges nobody yet.
  private static Stream<Bound> movement(char crowd) {
    return Stream.of(
        new Bound(
            crowd,
            DEVICE,
            "% found by its movement",
            r -> r.percentFound(Set.of(MOVEMENT.get(crowd) + Evidence.OBSERVED)),
            Side.MORE_THAN,
            50,
            false),
        most(
            crowd,
            DEVICE,
            "% of honest visitors with such movement",
            r -> r.percentOfHonest(Set.of(MOVEMENT.get(crowd) + Evidence.OBSERVED)),
            CrowdResult.MOST_BOTHERED));
  }

  private static Stream<Bound> people(char crowd, BuyerIdentity identity) {
    return Stream.of(
        most(crowd, identity, "people refused", r -> CrowdResult.refused(r.people()), 0),
        most(
            crowd,
            identity,
            "% challenged twice",
            r -> percent(CrowdResult.challengedTwice(r.people()), r.people().size()),
            0.5));
  }

  /// With `identity: device` the address has to be on the allow-list.
  private static Stream<Bound> sharedAddress(BuyerIdentity identity) {
    return Stream.concat(
            Stream.of(
                most(
                    'g',
                    identity,
                    "people who did not get in",
                    r -> r.people().size() - CrowdResult.gotIn(r.people()),
                    0)),
            people('g', identity))
        .map(bound -> identity == DEVICE ? bound.ifAllowed() : bound);
  }

  private static Bound most(
      char crowd,
      BuyerIdentity identity,
      String text,
      ToDoubleFunction<CrowdResult> value,
      double most) {
    return new Bound(crowd, identity, text, value, Side.AT_MOST, most, false);
  }

  private Bound ifAllowed() {
    return new Bound(crowd, identity, text, value, side, bound, true);
  }

  private static double percent(int part, int all) {
    return 100.0 * part / all;
  }

  boolean holds(double measured) {
    return side == Side.AT_MOST ? measured <= bound : measured > bound;
  }

  /// For reports.
  String boundText() {
    return side.text + ReportTable.number(bound);
  }
}
