package fairgate.crowd.rehearsal;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import fairgate.crowd.rehearsal.Attendance.End;
import fairgate.crowd.rehearsal.ZooResult.Judgement;
import fairgate.crowd.rehearsal.ZooResult.Verdict;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;

class ZooResultTest {
  private static final long OPENS_AT = 10_000;
  private static final String NO_IDENTITY = "the server has no identity policy";

  private final ZooPlan plan =
      new ZooPlan(List.of('a', 'f', 'g'), 1, 1, JsonNodeFactory.instance.objectNode());

  private ZooResult result(CrowdResult... crowds) {
    ZooServer server = new ZooServer(Target.of("http://127.0.0.1:1", "token"), Optional.empty());
    Map<BuyerIdentity, String> notJudged = new EnumMap<>(BuyerIdentity.class);
    notJudged.put(BuyerIdentity.PHONE, NO_IDENTITY);
    return new ZooResult(plan, server, List.of(crowds), notJudged);
  }

  private static CrowdResult crowd(
      NamedCrowd crowd, Attendance fake, Attendance honest, Attendance alone, long sold) {
    return new CrowdResult(
        crowd,
        BuyerIdentity.DEVICE,
        new CrowdRun.Result(List.of(party(honest), party(fake)), sold, 60_000, Evidence.NONE),
        new CrowdRun.Result(List.of(party(alone)), alone.units(), 20_000, Evidence.NONE),
        0);
  }

  private static CrowdRun.PartyResult party(Attendance one) {
    return new CrowdRun.PartyResult(List.of(one), new Tally(), Appeals.Filed.NONE);
  }

  /// @param turnAt negative = its turn never came
  private static Attendance person(long arrivedAt, long turnAt, int units) {
    Attendance one = new Attendance();
    one.arrived(arrivedAt, OPENS_AT);
    one.proved(ChallengeClient.DEFAULT_HASHES);
    one.joined("session-" + arrivedAt);
    if (turnAt >= 0) {
      one.turn(turnAt);
    }
    one.bought(units);
    one.left(units > 0 ? End.BOUGHT : End.SOLD_OUT);
    return one;
  }

  private static List<Verdict> verdicts(ZooResult result, char crowd) {
    return result.judgements().stream()
        .filter(one -> one.bound().crowd() == crowd)
        .map(Judgement::verdict)
        .toList();
  }

  @Test
  void aLineHoldsUpToItsBound() {
    Attendance honest = person(9_000, 11_000, 1);
    ZooResult within =
        result(crowd(NamedCrowd.ONE_ADDRESS, person(1, 10_000, 5), honest, honest, 6));
    assertThat(verdicts(within, 'a')).containsExactly(Verdict.HOLDS, Verdict.NOT_JUDGED);
    assertThat(within.passed()).isTrue();
    ZooResult beyond =
        result(crowd(NamedCrowd.ONE_ADDRESS, person(1, 10_000, 6), honest, honest, 7));
    assertThat(verdicts(beyond, 'a')).containsExactly(Verdict.BROKEN, Verdict.NOT_JUDGED);
    assertThat(beyond.passed()).isFalse();
    assertThat(ZooReport.text(beyond)).contains("BROKEN", "not judged: " + NO_IDENTITY);
  }

  @Test
  void unitsThatTheServerDoesNotCountAreAFault() {
    Attendance honest = person(9_000, 11_000, 1);
    ZooResult result =
        result(crowd(NamedCrowd.ONE_ADDRESS, person(1, 10_000, 2), honest, honest, 5));
    assertThat(result.passed()).isFalse();
    assertThat(ZooReport.text(result)).contains("Faults: (a)", "not those in the replies");
  }

  @Test
  void aPersonIsDelayedByWhatItWaitedLongerThanWithoutTheCrowd() {
    Attendance alone = person(9_000, 12_000, 1);
    Attendance fake = person(1, -1, 0);
    CrowdResult late = crowd(NamedCrowd.ABSENTEES, fake, person(9_000, 37_000, 1), alone, 1);
    assertThat(late.delay(100)).isEqualTo(25);
    assertThat(verdicts(result(late), 'f')).containsExactly(Verdict.HOLDS, Verdict.NOT_JUDGED);
    CrowdResult never = crowd(NamedCrowd.ABSENTEES, fake, person(9_000, -1, 0), alone, 0);
    assertThat(never.delay(100)).as("to the end of the run").isEqualTo(48);
    assertThat(verdicts(result(never), 'f')).containsExactly(Verdict.BROKEN, Verdict.NOT_JUDGED);
  }

  @Test
  void peopleWhoDoNotGetInBreakALine() {
    Attendance honest = person(9_000, 11_000, 1);
    CrowdResult outside = crowd(NamedCrowd.ONE_NAT, person(1, -1, 0), honest, honest, 1);
    assertThat(verdicts(result(outside), 'g')).contains(Verdict.BROKEN, Verdict.HOLDS);
  }

  @Test
  void unitsBoughtFromAPlaceBehindOthersAreNotInFront() {
    Attendance honest = person(9_000, 11_000, 1);
    Attendance program = person(1, 10_000, 2);
    CrowdResult inFront = crowd(NamedCrowd.HUMANS_AT_THE_GATE, program, honest, honest, 3);
    assertThat(inFront.percentInFront()).isEqualTo(100);
    program.seatedBehind(true);
    program.bought(6);
    assertThat(inFront.percentInFront()).isEqualTo(25);
    assertThat(inFront.withoutReason()).isZero();
    program.seatedBehind(false);
    assertThat(inFront.withoutReason()).isOne();
  }

  @Test
  void eachGradeCountsTheProgramsItFoundAndThePeopleItBothered() {
    Attendance honest = person(9_000, 11_000, 1);
    Attendance program = person(1, 10_000, 2);
    program.graded(Grade.SLIDER);
    program.graded(Grade.BEHIND);
    Attendance crowd = person(2, 10_000, 1);
    crowd.graded(Grade.SLIDER);
    String report =
        ZooReport.text(
            result(
                crowd(NamedCrowd.ONE_ADDRESS, program, honest, honest, 3),
                crowd(NamedCrowd.ONE_NAT, crowd, honest, honest, 2)));
    assertThat(report)
        .contains("of 1 programs and 3 people")
        .containsPattern("slider +1 +100 +1 +33\\.3\n")
        .containsPattern("seat_behind +1 +100 +0 +0\n")
        .containsPattern("passkey +0 +0 +0 +0\n");
  }

  @Test
  void anAppealThatIsNotAcceptedBreaksALine() {
    Attendance honest = person(9_000, 11_000, 1);
    Appeals.Filed refused = new Appeals.Filed(1, List.of("RISK_REFUSED: appeal answered with 404"));
    CrowdRun.PartyResult people = new CrowdRun.PartyResult(List.of(honest), new Tally(), refused);
    CrowdResult result =
        new CrowdResult(
            NamedCrowd.HUMANS_AT_THE_GATE,
            BuyerIdentity.DEVICE,
            new CrowdRun.Result(List.of(people, party(person(1, -1, 0))), 1, 60_000, Evidence.NONE),
            new CrowdRun.Result(List.of(party(honest)), 1, 20_000, Evidence.NONE),
            0);
    assertThat(result.appealProblems()).hasSize(1);
    assertThat(ZooReport.text(result(result))).contains("appeal answered with 404");
  }

  /// The number is what makes a place dear: without it, an attacker pays less than a person.
  @Test
  void aPlaceIsComparedWithTheCostOfAnHonestOne() {
    Attendance honest = person(9_000, 11_000, 1);
    CrowdRun.Result attack =
        new CrowdRun.Result(
            List.of(party(honest), party(person(1, 10_000, 2))), 3, 60_000, Evidence.NONE);
    CrowdRun.Result alone = new CrowdRun.Result(List.of(party(honest)), 1, 20_000, Evidence.NONE);
    double device = times(BuyerIdentity.DEVICE, attack, alone, 0);
    double phone = times(BuyerIdentity.PHONE, attack, alone, 1);
    assertThat(device).isBetween(0.5, 0.7);
    assertThat(phone).isBetween(4.0, 5.0);
    assertThat(Bound.ALL)
        .filteredOn(bound -> bound.text().startsWith("cost"))
        .singleElement()
        .satisfies(
            bound -> {
              assertThat(bound.holds(phone)).isTrue();
              assertThat(bound.holds(3)).as("more than the bound").isFalse();
              assertThat(bound.boundText()).isEqualTo("more than 3");
            });
  }

  private static double times(
      BuyerIdentity identity, CrowdRun.Result attack, CrowdRun.Result alone, int numbers) {
    return new CrowdResult(NamedCrowd.RESIDENTIAL, identity, attack, alone, numbers)
        .timesHonestCost();
  }

  @Test
  void fewerPeopleComeInLessTimeAndStillBeforeTheLastMoment() {
    VisitorProfile script = VisitorProfile.script(Duration.ofSeconds(16), true, Duration.ZERO);
    assertThat(script.hurried(1)).isEqualTo(script);
    assertThat(script.hurried(0.5).earliest()).isEqualTo(Duration.ofSeconds(-8));
    assertThat(script.hurried(0.01).earliest()).isEqualTo(Duration.ofSeconds(-3));
    assertThat(VisitorProfile.honest().hurried(0.1)).isEqualTo(VisitorProfile.honest());
  }

  @Test
  void anEvidenceAddsTheProgramsThatNoOtherFinds() {
    Attendance honest = person(9_000, 11_000, 1);
    Evidence people = new Evidence(Map.of("h", Set.of("stranger")));
    Evidence everybody =
        new Evidence(
            Map.of(
                "h", Set.of("stranger"),
                "1", Set.of("stranger", "straight"),
                "2", Set.of("stranger", "straight", "headless"),
                "3", Set.of("stranger")));
    CrowdRun.PartyResult programs =
        new CrowdRun.PartyResult(List.of(honest, honest, honest), new Tally(), Appeals.Filed.NONE);
    CrowdResult result =
        new CrowdResult(
            NamedCrowd.STRAIGHT_MOVEMENT,
            BuyerIdentity.DEVICE,
            new CrowdRun.Result(List.of(party(honest), programs), 4, 60_000, everybody),
            new CrowdRun.Result(List.of(party(honest)), 1, 20_000, people),
            0);
    Set<String> rules = result.sparingRules();
    assertThat(rules)
        .as("the rule that hits people is left out")
        .containsOnly("straight", "headless");
    assertThat(result.percentFound(rules)).isBetween(66.0, 67.0);
    assertThat(result.percentFoundOnlyBy("straight", rules)).isBetween(33.0, 34.0);
    assertThat(result.percentFoundOnlyBy("headless", rules)).isZero();
    assertThat(ZooReport.text(result(result)))
        .containsPattern("straight lines +device +straight +66.7 +33.3 +0\n");
  }

  @Test
  void everyPersonOfEveryCrowdHasAnAddressWithinThoseOfTheCrowd() {
    for (NamedCrowd crowd : ZooPlan.ALL) {
      Set<String> addresses = new HashSet<>();
      for (int i = 0; i < crowd.size(); i++) {
        addresses.add(crowd.address(i));
      }
      assertThat(addresses).as("(%s)", crowd.letter()).hasSize(crowd.addresses());
    }
  }

  @Test
  void everyCrowdHasALineOfTheContract() {
    List<Character> letters = new ArrayList<>(ZooPlan.letters());
    assertThat(letters).doesNotHaveDuplicates();
    assertThat(Bound.ALL).extracting(Bound::crowd).hasSameElementsAs(letters);
  }
}
