package fairgate.gate.appeal;

import static fairgate.gate.appeal.AppealWorld.SALE;
import static fairgate.gate.appeal.AppealWorld.person;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import fairgate.TestEngines;
import fairgate.gate.appeal.Appeal.Draft;
import fairgate.gate.appeal.Appeal.Grade;
import fairgate.gate.appeal.AppealService.Person;
import fairgate.gate.ban.Ban;
import fairgate.gate.risk.Explanation;
import fairgate.kernel.BanSubject;
import fairgate.kernel.ErrorCode;
import fairgate.platform.run.BlockingWork;
import fairgate.sale.ledger.LedgerFixture;
import java.time.Duration;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/// Entries of the ban list and the allow-list that appeals meet: those of operators stay, those of
/// earlier appeals are replaced.
@Tag("slow")
class AppealedEntriesTest {
  private static final LedgerFixture BOOKS = LedgerFixture.fresh(TestEngines.shared());
  private static final Duration A_YEAR = Duration.ofDays(365);
  private final AppealWorld world = new AppealWorld(BOOKS);
  private final Person ann = person();

  @AfterAll
  static void closeBooks() {
    BOOKS.close();
  }

  @AfterEach
  void close() {
    world.close();
  }

  private void decide(Appeal appeal, Draft draft) {
    assertThat(world.appeals.decide(appeal.id(), draft, "operator@127.0.0.1"))
        .isInstanceOf(AppealOutcome.Decided.Done.class);
  }

  private static Draft refusal(Grade grade) {
    return Draft.refuse(grade, "seen", "");
  }

  private Appeal file(ErrorCode code, Person person) {
    return world.file(world.refused(code, person), person);
  }

  private Ban ban() {
    return world.bans.get(Ban.Effect.BAN, world.device(ann)).orElseThrow();
  }

  private Ban exemption() {
    return world.bans.get(Ban.Effect.ALLOW, world.device(ann)).orElseThrow();
  }

  private void lasts(Ban entry, Duration length) {
    assertThat(entry.until() - world.now()).isCloseTo(length.toMillis(), within(60_000L));
  }

  /// Somebody without a cookie appeals for an address that an operator has exempted.
  @ParameterizedTest
  @EnumSource(Grade.class)
  void theExemptionThatAnOperatorGaveAnAddressStays(Grade grade) {
    BanSubject address = BanSubject.client(ann.address());
    Ban campus = world.entry(Ban.Effect.ALLOW, address, "grace", A_YEAR);
    Person nobody = new Person(ann.address(), null, null);
    world.openSale();
    Appeal appeal = file(ErrorCode.INVALID_TURNSTILE_TOKEN, nobody);
    world.advance(Duration.ofMinutes(16));
    world.feature.pass();
    assertThat(world.bans.get(Ban.Effect.ALLOW, address)).as("overdue").contains(campus);
    if (grade.excludes()) {
      staysFor(appeal, refusal(grade), campus);
    } else {
      decide(appeal, refusal(grade));
    }
    assertThat(world.bans.get(Ban.Effect.ALLOW, address)).as("refused").contains(campus);
  }

  @Test
  void anAllowanceLastsAsLongAsTheOperatorSaid() {
    decide(file(ErrorCode.INVALID_TURNSTILE_TOKEN, ann), Draft.lift("a person", ""));
    assertThat(exemption().actor()).isEqualTo(Ban.once(SALE));
    decide(file(ErrorCode.RISK_REFUSED, ann), Draft.allow(Duration.ofMinutes(1), "short", ""));
    assertThat(exemption().actor()).isEqualTo(Ban.APPEAL);
    lasts(exemption(), Duration.ofMinutes(1));
  }

  @Test
  void aLaterSeatDoesNotEndAGrantedExemption() {
    decide(file(ErrorCode.RISK_REFUSED, ann), Draft.allow(Duration.ofDays(30), "known", ""));
    decide(file(ErrorCode.INVALID_TURNSTILE_TOKEN, ann), refusal(Grade.BEHIND));
    assertThat(exemption().actor()).isEqualTo(Ban.APPEAL);
  }

  @Test
  void ofTwoExclusionsTheLongerOneStaysWithItsRule() {
    decide(world.file(world.limited("join", "3/60", ann), ann), refusal(Grade.YEAR));
    Ban longer = ban();
    decide(world.file(world.limited("page", "5/1", ann), ann), refusal(Grade.DAYS_30));
    assertThat(ban()).isEqualTo(longer);
    var _ = world.appeals.amnesty("limit.page", "5/1", "too strict", "operator");
    assertThat(ban()).isEqualTo(longer);
    var _ = world.appeals.amnesty("limit.join", "3/60", "too strict", "operator");
    assertThat(world.isBanned(world.bans, ann)).isFalse();
  }

  /// The operator's entry spares bans and limits, and neither risk nor a challenge.
  @Test
  void aGrantThatAnEntryOfAnOperatorWouldMakeUselessSaysSo() {
    Ban supported = world.entry(Ban.Effect.ALLOW, world.device(ann), "grace", Duration.ofHours(1));
    for (Draft grant :
        List.of(Draft.lift("a person", ""), Draft.allow(Duration.ofDays(30), "known", ""))) {
      Appeal appeal = file(ErrorCode.RISK_REFUSED, ann);
      staysFor(appeal, grant, supported);
      assertThat(world.bans.lift(supported.id(), "grace")).isPresent();
      decide(appeal, grant);
      assertThat(exemption().actor()).isEqualTo(Ban.APPEAL);
      assertThat(world.bans.lift(exemption().id(), "grace")).isPresent();
      supported = world.entry(Ban.Effect.ALLOW, world.device(ann), "grace", Duration.ofHours(1));
    }
  }

  /// Risk would refuse the person, hold the place or seat it behind all the same.
  @ParameterizedTest
  @ValueSource(strings = {"RISK_REFUSED", "SEAT_BEHIND", "HOLD"})
  void aMilderConsequenceThatAnEntryOfAnOperatorWouldMakeUselessSaysSo(String code) {
    world.stored.one = world.storedFor(ann, code, "risk.DATACENTRE", Explanation.NONE);
    Appeal appeal = world.file("BBBBBBBBBBBBBBBBBBBBBB", ann);
    Ban supported = world.entry(Ban.Effect.ALLOW, world.device(ann), "grace", A_YEAR);
    staysFor(appeal, refusal(Grade.SLOWER), supported);
    staysFor(appeal, refusal(Grade.BEHIND), supported);
    assertThat(world.bans.lift(supported.id(), "grace")).isPresent();
    decide(appeal, refusal(Grade.SLOWER));
    assertThat(exemption().actor()).isEqualTo(Ban.SLOWER);
  }

  @ParameterizedTest
  @EnumSource(
      value = Grade.class,
      names = {"SALE", "DAYS_30", "YEAR"})
  void anExclusionInANetworkThatAnOperatorHasExemptedSaysSo(Grade grade) {
    BanSubject network = new BanSubject(BanSubject.Kind.NETWORK, ann.address().network().text());
    Appeal appeal = world.file(world.limited("join", "3/60", ann), ann);
    Ban campus = world.entry(Ban.Effect.ALLOW, network, "grace", A_YEAR);
    staysFor(appeal, refusal(grade), campus);
    assertThat(world.bans.get(Ban.Effect.BAN, world.device(ann))).isEmpty();
    assertThat(world.bans.lift(campus.id(), "grace")).isPresent();
    decide(appeal, refusal(grade));
    assertThat(world.isBanned(world.bans, ann)).isTrue();
  }

  @Test
  void anExclusionThatEndsWithAShorterBanOfAnOperatorSaysSoAndTakesNothing() {
    decide(file(ErrorCode.RISK_REFUSED, ann), Draft.allow(Duration.ofDays(30), "known", ""));
    Appeal appeal = world.file(world.limited("join", "3/60", ann), ann);
    Ban brief = world.ban(world.device(ann), "grace", Duration.ofMinutes(10));
    staysFor(appeal, refusal(Grade.YEAR), brief);
    assertThat(exemption().actor()).isEqualTo(Ban.APPEAL);
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void anOperatorWhoTakesOverTheEntryOfALateAppealKeepsIt(boolean granted) {
    world.openSale();
    Appeal appeal = file(ErrorCode.INVALID_TURNSTILE_TOKEN, ann);
    world.advance(Duration.ofMinutes(16));
    world.feature.pass();
    assertThat(exemption().actor()).isEqualTo(Ban.LATE);
    Ban friend = world.entry(Ban.Effect.ALLOW, world.device(ann), "grace", A_YEAR);
    Draft draft = granted ? Draft.allow(Duration.ofDays(1), "known", "") : refusal(Grade.WARN);
    var _ = world.appeals.decide(appeal.id(), draft, "operator@127.0.0.1");
    assertThat(exemption()).isEqualTo(friend);
  }

  @Test
  void theChallengeOfALateAppealIsWaivedOnceItIsGranted() {
    world.openSale();
    Appeal appeal = file(ErrorCode.INVALID_TURNSTILE_TOKEN, ann);
    world.advance(Duration.ofMinutes(16));
    world.feature.pass();
    assertThat(exemption().actor()).isEqualTo(Ban.LATE);
    decide(appeal, Draft.lift("a person", ""));
    assertThat(exemption().actor()).isEqualTo(Ban.once(SALE));
  }

  /// As after a decision whose reply was 503: its effect came first.
  @ParameterizedTest
  @EnumSource(
      value = Grade.class,
      names = {"WARN", "DAYS_30"})
  void anotherDecisionEndsTheExclusionOfOneThatFailed(Grade grade) {
    Appeal appeal = file(ErrorCode.RISK_REFUSED, ann);
    var _ =
        world.bans.addAfterAppeal(
            Ban.Effect.BAN,
            world.device(ann),
            "appeal " + appeal.id() + ": a program",
            Ban.APPEAL + ".risk@1",
            A_YEAR);
    assertThat(world.isBanned(world.bans, ann)).isTrue();
    decide(appeal, refusal(grade));
    assertThat(world.isBanned(world.bans, ann)).isEqualTo(grade.excludes());
    if (grade.excludes()) {
      lasts(ban(), Duration.ofDays(30));
    }
  }

  /// The ban of an address applies to everybody there; it must not become one of the person alone.
  @ParameterizedTest
  @EnumSource(
      value = Grade.class,
      names = {"WARN", "DAYS_30", "YEAR"})
  void anotherDecisionReplacesTheShorterBanOfOneThatFailed(Grade grade) {
    Ban ban = world.ban(BanSubject.client(ann.address()), null);
    Appeal appeal = world.file(world.banned(ban, ann), ann);
    String author =
        Ban.APPEAL + '.' + appeal.matter().rules().getFirst() + '@' + appeal.matter().version();
    var _ =
        world.bans.replaceAfterAppeal(
            ban, "appeal " + appeal.id() + ": a program", author, Duration.ofDays(30));
    decide(appeal, refusal(grade));
    Person neighbour = person(ann.address().text());
    assertThat(world.isBanned(world.bans, neighbour)).isEqualTo(grade.excludes());
    if (grade.excludes()) {
      Ban left = world.bans.get(Ban.Effect.BAN, ban.subject()).orElseThrow();
      lasts(left, grade == Grade.YEAR ? A_YEAR : Duration.ofDays(30));
    }
  }

  @Test
  void manyDecisionsAtOnceDoNotTakeAllConnections() {
    List<Appeal> filed =
        IntStream.range(0, 16).mapToObj(_ -> file(ErrorCode.RISK_REFUSED, person())).toList();
    BlockingWork.forEach("decide", filed, appeal -> decide(appeal, Draft.lift("fine", "")));
  }

  @Test
  void anExemptionByAnOperatorIsEnoughForAPersonInABannedNetwork() {
    Ban wide = world.ban(new BanSubject(BanSubject.Kind.ASN, "64500"), "grace", A_YEAR);
    Appeal appeal = world.file(world.banned(wide, ann), ann);
    Ban brief = world.entry(Ban.Effect.ALLOW, world.device(ann), "grace", Duration.ofMinutes(1));
    staysFor(appeal, Draft.allow(Duration.ofDays(1), "known", ""), brief);
    assertThat(world.bans.lift(brief.id(), "grace")).isPresent();
    Ban friend = world.entry(Ban.Effect.ALLOW, world.device(ann), "grace", A_YEAR);
    decide(appeal, Draft.allow(Duration.ofDays(1), "known", ""));
    assertThat(exemption()).isEqualTo(friend);
  }

  @Test
  void aRefusedDecisionTakesNoLateSeatAway() {
    Person nobody = new Person(ann.address(), null, null);
    world.openSale();
    Appeal appeal = file(ErrorCode.INVALID_TURNSTILE_TOKEN, nobody);
    world.advance(Duration.ofMinutes(16));
    world.feature.pass();
    BanSubject address = BanSubject.client(ann.address());
    Ban late = world.bans.get(Ban.Effect.ALLOW, address).orElseThrow();
    assertThat(late.actor()).isEqualTo(Ban.LATE);
    assertThat(world.appeals.decide(appeal.id(), Draft.lift("a person", ""), "operator@127.0.0.1"))
        .isInstanceOf(AppealOutcome.Decided.NoSubject.class);
    assertThat(world.bans.get(Ban.Effect.ALLOW, address)).contains(late);
  }

  @Test
  void anAmnestyTellsHowManyAppealsAnEntryOfAnOperatorLeavesOpen() {
    Ban friend = world.entry(Ban.Effect.ALLOW, world.device(ann), "grace", A_YEAR);
    Appeal appeal = file(ErrorCode.INVALID_TURNSTILE_TOKEN, ann);
    var amnesty =
        world.appeals.amnesty(
            appeal.matter().rules().getFirst(), appeal.matter().version(), "wrong", "operator");
    assertThat(amnesty).isEqualTo(new AppealOutcome.Amnesty(0, 1, 0, 0, false));
    assertThat(exemption()).isEqualTo(friend);
  }

  private void staysFor(Appeal appeal, Draft draft, Ban entry) {
    assertThat(world.appeals.decide(appeal.id(), draft, "operator@127.0.0.1"))
        .isEqualTo(new AppealOutcome.Decided.EntryStays(entry.id()));
  }

  @Test
  void aBanByAnOperatorStaysTheOperators() {
    String decision = world.limited("join", "3/60", ann);
    Appeal appeal = world.file(decision, ann);
    Ban scalper = world.ban(world.device(ann), "grace", Duration.ofDays(400));
    decide(appeal, refusal(Grade.YEAR));
    assertThat(ban()).isEqualTo(scalper);
    assertThat(world.appeals.amnesty("limit.join", "3/60", "too strict", "operator").bans())
        .isZero();
    assertThat(ban()).isEqualTo(scalper);
    tellsThatABanIsInForce(decision, true);
    assertThat(world.bans.lift(scalper.id(), "grace")).isPresent();
    tellsThatABanIsInForce(decision, false);
    Ban wide =
        world.ban(
            new BanSubject(BanSubject.Kind.NETWORK, ann.address().network().text()),
            "grace",
            A_YEAR);
    tellsThatABanIsInForce(decision, true);
    // It spares one challenge, and no ban.
    var _ = world.entry(Ban.Effect.ALLOW, world.device(ann), Ban.once(SALE), A_YEAR);
    tellsThatABanIsInForce(decision, true);
    var _ = world.entry(Ban.Effect.ALLOW, world.device(ann), "grace", A_YEAR);
    tellsThatABanIsInForce(decision, false);
    assertThat(world.bans.lift(wide.id(), "grace")).isPresent();
  }

  @ParameterizedTest
  @EnumSource(
      value = Grade.class,
      names = {"WARN", "BEHIND"})
  void aPersonWhoMayTakePartIsToldOfALaterBan(Grade grade) {
    String decision = world.banned(world.ban(world.device(ann), null), ann);
    decide(world.file(decision, ann), refusal(grade));
    assertThat(own(decision).banned()).isFalse();
    // As after an operator's ban, or another appeal of the person.
    world.bans.endExemption(world.device(ann), "grace");
    var _ = world.ban(world.device(ann), "grace", A_YEAR);
    assertThat(own(decision).banned()).isTrue();
  }

  private AppealOutcome.Own own(String decision) {
    return (AppealOutcome.Own) world.appeals.look(decision, ann);
  }

  private void tellsThatABanIsInForce(String decision, boolean banned) {
    assertThat(own(decision).amnesty()).isTrue();
    assertThat(own(decision).banned()).isEqualTo(banned);
  }

  @Test
  void anAmnestyOfAnOperatorsBansEndsOnlyThoseWithAnOpenAppeal() {
    Person bob = person();
    Ban appealed = world.ban(world.device(ann), "grace", A_YEAR);
    Ban other = world.ban(world.device(bob), "grace", A_YEAR);
    Appeal appeal = world.file(world.banned(appealed, ann), ann);
    assertThat(appeal.matter().rules()).containsExactly("ban.grace");
    assertThat(world.appeals.amnesty("ban.grace", "1", "a wrong list", "operator"))
        .isEqualTo(new AppealOutcome.Amnesty(1, 0, 0, 0, false));
    assertThat(world.isBanned(world.bans, ann)).isFalse();
    assertThat(world.bans.get(Ban.Effect.BAN, world.device(bob))).contains(other);
  }

  @Test
  void aRepeatedAmnestyCoversTheDecisionsSinceTheFirstOne() {
    var _ = world.appeals.amnesty("limit.join", "3/60", "too strict", "operator");
    world.advance(Duration.ofHours(1));
    String decision = world.limited("join", "3/60", ann);
    String refused = world.limited("join", "3/60", ann);
    decide(world.file(refused, ann), refusal(Grade.DAYS_30));
    world.advance(Duration.ofHours(1));
    assertThat(world.appeals.amnesty("limit.join", "3/60", "again", "operator"))
        .isEqualTo(new AppealOutcome.Amnesty(0, 0, 1, 0, true));
    assertThat(world.appeals.look(refused, ann))
        .isInstanceOfSatisfying(AppealOutcome.Own.class, own -> assertThat(own.amnesty()).isTrue());
    assertThat(world.file(decision, ann).state()).isEqualTo(Appeal.State.GRANTED);
  }

  @Test
  void aLetterThatWasRefusedAfterAnAmnestyDoesNotShowIt() {
    String decision = world.limited("join", "3/60", ann);
    Person stranger = person();
    Appeal appeal = world.file(decision, stranger);
    var _ = world.appeals.amnesty("limit.join", "3/60", "too strict", "operator");
    world.advance(Duration.ofMinutes(1));
    decide(appeal, refusal(Grade.DAYS_30));
    assertThat(world.appeals.look(decision, stranger))
        .isInstanceOfSatisfying(
            AppealOutcome.Own.class, own -> assertThat(own.amnesty()).isFalse());
  }

  @Test
  void afterAnAmnestyAnExcludedPersonPassesTheChecks() {
    world.stored.one = world.storedFor(ann, "RISK_REFUSED", "risk.DATACENTRE", Explanation.NONE);
    decide(world.file("BBBBBBBBBBBBBBBBBBBBBB", ann), refusal(Grade.DAYS_30));
    assertThat(world.isBanned(world.bans, ann)).isTrue();
    assertThat(world.appeals.amnesty("risk.DATACENTRE", "4", "wrong", "operator").bans()).isOne();
    assertThat(world.isBanned(world.bans, ann)).isFalse();
    assertThat(exemption().actor()).isEqualTo(Ban.APPEAL);
  }
}
