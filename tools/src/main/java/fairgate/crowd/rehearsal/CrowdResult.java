package fairgate.crowd.rehearsal;

import fairgate.crowd.rehearsal.Attendance.End;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.LongStream;

/// What one crowd got in one sale, and what it cost the honest people in the same sale.
///
/// @param alone the same honest people in the same sale without the crowd
/// @param numbers verified telephone numbers that the crowd had
record CrowdResult(
    NamedCrowd crowd,
    BuyerIdentity identity,
    CrowdRun.Result attack,
    CrowdRun.Result alone,
    int numbers) {
  /// Percent of people who may be challenged twice.
  static final double MOST_BOTHERED = 0.5;

  List<Attendance> people() {
    return attack.parties().getLast().people();
  }

  List<Attendance> honest() {
    return attack.parties().getFirst().people();
  }

  /// Distinct places of the crowd.
  int places() {
    Set<String> sessions = new HashSet<>();
    people().stream().filter(Attendance::hasPlace).forEach(one -> sessions.add(one.session()));
    return sessions.size();
  }

  int units() {
    return people().stream().mapToInt(Attendance::units).sum();
  }

  double shareOfStock() {
    return 100.0 * units() / crowd.sale().units();
  }

  /// Distinct places of the crowd that bought.
  int buyers() {
    Set<String> sessions = new HashSet<>();
    people().stream().filter(one -> one.units() > 0).forEach(one -> sessions.add(one.session()));
    return sessions.size();
  }

  /// Share of the crowd's units that it bought from places that were not behind others, without its
  /// own fair share.
  double percentInFront() {
    int inFront = people().stream().mapToInt(Attendance::unitsInFront).sum();
    return units() == 0 ? 0 : 100.0 * Math.max(0, inFront - crowd.ownUnits()) / units();
  }

  /// Rules that matched somebody in the run with the crowd, and at most half a percent of honest
  /// people without it: a challenge for them would bother nobody else.
  Set<String> sparingRules() {
    Set<String> found = new TreeSet<>();
    attack.evidence().rules().values().forEach(found::addAll);
    found.removeIf(code -> percentOfHonest(Set.of(code)) > MOST_BOTHERED);
    return found;
  }

  /// Share of honest people, without the crowd, whom one of these rules matches.
  double percentOfHonest(Set<String> codes) {
    int people = alone.parties().getFirst().people().size();
    return 100.0 * alone.evidence().matchedByAny(codes) / people;
  }

  /// Share of the crowd whom one of these rules matches.
  double percentFound(Set<String> codes) {
    return percentOfCrowd(
        attack.evidence().matchedByAny(codes) - alone.evidence().matchedByAny(codes));
  }

  /// Share of the crowd whom one of these rules matches and none of the others does.
  double percentFoundOnlyBy(String code, Set<String> codes) {
    return percentOfCrowd(attack.evidence().matchedOnlyBy(code, codes));
  }

  private double percentOfCrowd(int browsers) {
    return Math.clamp(100.0 * browsers / people().size(), 0, 100);
  }

  static int behind(List<Attendance> people) {
    return (int) people.stream().filter(Attendance::isBehind).count();
  }

  static int withoutUnits(List<Attendance> people) {
    return (int) people.stream().filter(one -> one.units() == 0).count();
  }

  /// People of the crowd behind others who were told no reason.
  int withoutReason() {
    return (int) people().stream().filter(one -> !one.isExplained()).count();
  }

  /// Appeals that were not accepted, and refusals without a way to appeal.
  List<String> appealProblems() {
    return attack.parties().stream().flatMap(party -> party.appeals().problems().stream()).toList();
  }

  int appealsFiled() {
    return attack.parties().stream().mapToInt(party -> party.appeals().filed()).sum();
  }

  /// The cost of the crowd, euro.
  double cost() {
    return crowd.honest()
        ? Prices.ofPeople(people().size(), telephoneSeconds(people()))
        : Prices.ofAttack(numbers, addresses(), people().size(), coreSeconds());
  }

  /// The cost of a place in costs of a place of an honest visitor.
  double timesHonestCost() {
    double honestCost =
        Prices.ofPeople(honest().size(), telephoneSeconds(honest())) / honest().size();
    return cost() / places() / honestCost;
  }

  private static double telephoneSeconds(List<Attendance> people) {
    return people.stream().mapToLong(Attendance::hashes).sum() / (double) VisitorProfile.TELEPHONE;
  }

  /// Work of the crowd for the challenge, as a native program needs it.
  double coreSeconds() {
    return people().stream().mapToLong(Attendance::hashes).sum() / (double) VisitorProfile.CORE;
  }

  /// Distinct addresses of the people who came.
  int addresses() {
    return Math.min(crowd.addresses(), people().size());
  }

  /// Attempts of the crowd that were refused, by call and error code.
  Map<String, Integer> refusedAttempts() {
    return attack.parties().getLast().tally().refusals();
  }

  static int gotIn(List<Attendance> people) {
    return (int) people.stream().filter(Attendance::gotIn).count();
  }

  static int refused(List<Attendance> people) {
    return (int)
        people.stream().filter(one -> one.end() == End.REFUSED || one.end() == End.EXPIRED).count();
  }

  static int challengedTwice(List<Attendance> people) {
    return (int) people.stream().filter(one -> one.proofs() > 1).count();
  }

  /// A percentile of the time to get in, seconds; of those who got in. 0 if nobody did.
  static double timeToGetIn(List<Attendance> people, double percentile) {
    return percentile(
        people.stream().flatMapToLong(one -> stream(one)).sorted().toArray(), percentile);
  }

  private static LongStream stream(Attendance one) {
    return one.timeToGetIn().stream();
  }

  /// A percentile of the time that honest people waited longer than without the crowd, seconds. A
  /// person who never got in waited to the end of the run, unless everything was sold.
  double delay(double percentile) {
    List<Long> delays = new ArrayList<>();
    List<Attendance> before = alone.parties().getFirst().people();
    for (int i = 0; i < honest().size(); i++) {
      Attendance now = honest().get(i);
      boolean compares = before.get(i).gotIn() && (now.gotIn() || !soldOut());
      if (compares) {
        delays.add(now.waited(attack.endedAt()) - before.get(i).waited(alone.endedAt()));
      }
    }
    return percentile(delays.stream().mapToLong(Long::longValue).sorted().toArray(), percentile);
  }

  private boolean soldOut() {
    return attack.sold() >= crowd.sale().units();
  }

  private static double percentile(long[] sorted, double percentile) {
    if (sorted.length == 0) {
      return 0;
    }
    int rank = (int) Math.ceil(percentile / 100 * sorted.length);
    return sorted[Math.clamp(rank - 1, 0, sorted.length - 1)] / 1_000.0;
  }

  /// Whether the units in all replies are those of the server's counters.
  boolean addsUp() {
    long inReplies =
        attack.parties().stream()
            .flatMap(party -> party.people().stream())
            .mapToLong(Attendance::units)
            .sum();
    return inReplies == attack.sold();
  }

  boolean oversold() {
    return attack.sold() > crowd.sale().units();
  }

  int serverErrors() {
    return attack.parties().stream().mapToInt(party -> party.tally().serverErrors()).sum();
  }
}
