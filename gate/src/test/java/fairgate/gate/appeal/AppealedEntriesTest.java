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
import fairgate.kernel.BanSubject;
import fairgate.kernel.ErrorCode;
import fairgate.platform.postgres.FreshDatabase;
import fairgate.platform.run.BlockingWork;
import java.time.Duration;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/// Entries of the ban list and the allow-list that appeals meet: those of operators stay, those of
/// earlier appeals are replaced.
@Tag("slow")
class AppealedEntriesTest {
  private static final FreshDatabase BOOKS = new FreshDatabase(TestEngines.shared());
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

  private Ban exemption() {
    return world.bans.get(Ban.Effect.ALLOW, world.device(ann)).orElseThrow();
  }

  private void lasts(Ban entry, Duration length) {
    assertThat(entry.until() - world.now()).isCloseTo(length.toMillis(), within(60_000L));
  }

  /// Somebody without a cookie appeals for an address that an operator has exempted.
  @ParameterizedTest
  @EnumSource(
      value = Grade.class,
      names = {"WARN", "YEAR"})
  void theExemptionThatAnOperatorGaveAnAddressStays(Grade grade) {
    BanSubject address = BanSubject.client(ann.address());
    Ban wide = world.ban(new BanSubject(BanSubject.Kind.ASN, "64500"), "grace", A_YEAR);
    Ban campus = world.entry(Ban.Effect.ALLOW, address, "grace", A_YEAR);
    Person nobody = new Person(ann.address(), null, null);
    decide(world.file(world.banned(wide, nobody), nobody), refusal(grade));
    assertThat(world.bans.get(Ban.Effect.ALLOW, address)).contains(campus);
  }

  @Test
  void anAllowanceLastsAsLongAsTheOperatorSaid() {
    decide(file(ErrorCode.INVALID_TURNSTILE_TOKEN, ann), Draft.lift("a person", ""));
    assertThat(exemption().actor()).isEqualTo(Ban.once(SALE));
    decide(file(ErrorCode.RISK_REFUSED, ann), Draft.allow(Duration.ofMinutes(1), "short", ""));
    assertThat(exemption().actor()).isEqualTo(Ban.APPEAL);
    lasts(exemption(), Duration.ofMinutes(1));
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

  private void staysFor(Appeal appeal, Draft draft, Ban entry) {
    assertThat(world.appeals.decide(appeal.id(), draft, "operator@127.0.0.1"))
        .isEqualTo(new AppealOutcome.Decided.EntryStays(entry.id()));
  }

  /// The ban of an address applies to everybody there; it must not become one of the person alone.
  @ParameterizedTest
  @EnumSource(
      value = Grade.class,
      names = {"WARN", "DAYS_30"})
  void anotherDecisionReplacesTheShorterBanOfOneThatFailed(Grade grade) {
    Ban ban = world.ban(BanSubject.client(ann.address()), null);
    Appeal appeal = world.file(world.banned(ban, ann), ann);
    var _ = world.bans.replaceAfterAppeal(ban, "appeal " + appeal.id() + ": a program", A_YEAR);
    decide(appeal, refusal(grade));
    Person neighbour = person(ann.address().text());
    assertThat(world.isBanned(world.bans, neighbour)).isEqualTo(grade != Grade.WARN);
    if (grade != Grade.WARN) {
      lasts(world.bans.get(Ban.Effect.BAN, ban.subject()).orElseThrow(), Duration.ofDays(30));
    }
  }

  @Test
  void aPersonWhoMayTakePartIsToldOfALaterBan() {
    String decision = world.banned(world.ban(world.device(ann), null), ann);
    decide(world.file(decision, ann), refusal(Grade.WARN));
    tellsThatABanIsInForce(decision, false);
    Ban scalper = world.ban(world.device(ann), "grace", A_YEAR);
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

  private void tellsThatABanIsInForce(String decision, boolean banned) {
    assertThat(own(decision).banned()).isEqualTo(banned);
  }

  private AppealOutcome.Own own(String decision) {
    return (AppealOutcome.Own) world.appeals.look(decision, ann);
  }
}
