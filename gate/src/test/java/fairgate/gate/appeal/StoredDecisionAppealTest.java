package fairgate.gate.appeal;

import static fairgate.gate.appeal.AppealWorld.TEXT;
import static fairgate.gate.appeal.AppealWorld.person;
import static org.assertj.core.api.Assertions.assertThat;

import fairgate.TestEngines;
import fairgate.gate.appeal.AppealService.Person;
import fairgate.gate.ban.Ban;
import fairgate.gate.risk.Explanation;
import fairgate.gate.risk.PublicReason;
import fairgate.gate.risk.Remedy;
import fairgate.kernel.ErrorCode;
import fairgate.kernel.StoredDecisionIds;
import fairgate.platform.postgres.FreshDatabase;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/// Appeals against decisions that are recorded after the reply, and against failed challenges.
class StoredDecisionAppealTest {
  private static final Explanation TOLD =
      new Explanation(PublicReason.HISTORY, List.of(Remedy.PAY_ORDERS, Remedy.APPEAL));
  private static final FreshDatabase BOOKS = new FreshDatabase(TestEngines.shared());
  private final AppealWorld world = new AppealWorld(BOOKS);
  private final StoredDecisionIds ids = new StoredDecisionIds(world.fixture.keys);
  private final Person ann = person();

  @AfterAll
  static void closeBooks() {
    BOOKS.close();
  }

  @AfterEach
  void close() {
    world.close();
  }

  private AppealOutcome file(String decision) {
    return world.appeals.file(decision, ann, TEXT, "");
  }

  @Test
  void aDecisionThatIsNotRecordedYetIsNoUnknownOne() {
    String decision = ids.issue(world.now());
    assertThat(world.appeals.look(decision, ann)).isEqualTo(new AppealOutcome.Recording());
    assertThat(file(decision)).isEqualTo(new AppealOutcome.Recording());
    assertThat(world.appeals.decision(decision, ann)).as("no reason yet").isEmpty();
    world.stored.one = world.storedFor(ann, "SEAT_BEHIND", "risk.A", TOLD);
    assertThat(world.appeals.look(decision, ann))
        .isEqualTo(new AppealOutcome.None("SEAT_BEHIND", TOLD, false));
    assertThat(file(decision)).isInstanceOf(AppealOutcome.Filed.class);
  }

  @Test
  void aStrangerWithTheIdLearnsNoReasonAndTakesNoAppealAway() {
    world.openSale();
    String decision = ids.issue(world.now());
    world.stored.one = world.storedFor(ann, "RISK_REFUSED", "risk.A", TOLD);
    for (Person stranger :
        List.of(person(), new Person(person().address(), null, null), signedIn("acc_other"))) {
      assertThat(world.appeals.look(decision, stranger))
          .isEqualTo(new AppealOutcome.None("RISK_REFUSED", Explanation.NONE, true));
    }
    Person bob = person();
    Appeal foreign = world.file(decision, bob);
    assertThat(foreign.filer().isRefused()).isFalse();
    assertThat(foreign.filer().sameBrowser()).isFalse();
    assertThat(world.appeals.look(decision, ann))
        .isEqualTo(new AppealOutcome.None("RISK_REFUSED", TOLD, false));
    Appeal own = world.file(decision, ann);
    assertThat(own.filer().sameBrowser()).isTrue();
    assertThat(world.appeals.look(decision, ann))
        .isEqualTo(new AppealOutcome.Own(own, TOLD, false));
  }

  @Test
  void aStrangersAppealIsNoHistoryOfTheRefusedPerson() {
    String decision = ids.issue(world.now());
    world.stored.one = world.storedFor(ann, "RISK_REFUSED", "risk.A", TOLD);
    Appeal.Draft refusal = Appeal.Draft.refuse(Appeal.Grade.WARN, "seen", "We looked at it.");
    Appeal foreign = world.file(decision, person());
    assertThat(world.appeals.decide(foreign.id(), refusal, "operator@127.0.0.1"))
        .isInstanceOf(AppealOutcome.Decided.Done.class);
    assertThat(world.stored.results).isEmpty();
    Appeal own = world.file(decision, ann);
    assertThat(world.appeals.decide(own.id(), refusal, "operator@127.0.0.1"))
        .isInstanceOf(AppealOutcome.Decided.Done.class);
    assertThat(world.stored.results).containsExactly(decision + " false", decision + " behind");
  }

  @Test
  void aGrantedAppealOfAStrangerTakesEffect() {
    String decision = ids.issue(world.now());
    world.stored.one = world.storedFor(ann, "SEAT_BEHIND", "risk.A", TOLD);
    Appeal foreign = world.file(decision, person());
    assertThat(world.appeals.decide(foreign.id(), Appeal.Draft.lift("known to us", ""), "op"))
        .isInstanceOf(AppealOutcome.Decided.Done.class);
    assertThat(world.stored.results).containsExactly(decision + " true");
  }

  @Test
  void theAddressOfADecisionIsKnownWithoutTheCookie() {
    world.openSale();
    String decision = ids.issue(world.now());
    world.stored.one = world.storedFor(ann, "RISK_REFUSED", "risk.A", TOLD);
    Person withoutCookie = new Person(ann.address(), null, null);
    assertThat(world.appeals.look(decision, withoutCookie))
        .isEqualTo(new AppealOutcome.None("RISK_REFUSED", TOLD, false));
  }

  @Test
  void aNeighbourTakesNoAppealAway() {
    world.openSale();
    String decision = ids.issue(world.now());
    world.stored.one = world.storedFor(ann, "RISK_REFUSED", "risk.A", TOLD);
    Person neighbour = new Person(ann.address(), person().device(), null);
    assertThat(world.appeals.look(decision, neighbour))
        .isEqualTo(new AppealOutcome.None("RISK_REFUSED", Explanation.NONE, true));
    Appeal other = world.file(decision, neighbour);
    assertThat(other.filer().isRefused()).isFalse();
    assertThat(world.appeals.look(decision, ann))
        .isEqualTo(new AppealOutcome.None("RISK_REFUSED", TOLD, false));
    Appeal own = world.file(decision, ann);
    assertThat(world.appeals.decide(own.id(), Appeal.Draft.lift("wrong", ""), "op"))
        .isInstanceOf(AppealOutcome.Decided.Done.class);
    assertThat(world.exemption(ann)).isEqualTo(Ban.APPEAL);
    assertThat(world.exemption(neighbour)).isEmpty();
    assertThat(world.appeal(own.id()).state()).isEqualTo(Appeal.State.GRANTED);
    assertThat(world.appeal(other.id()).state()).isEqualTo(Appeal.State.CLOSED);
    // The own decision of the neighbour is another matter.
    String second = ids.issue(world.now());
    world.stored.one = world.storedFor(neighbour, "RISK_REFUSED", "risk.B", TOLD);
    assertThat(world.file(second, neighbour).filer().isRefused()).isTrue();
  }

  @Test
  void anAppealOfTheAccountIsKnownInItsOtherBrowser() {
    String decision = ids.issue(world.now());
    world.stored.one = world.storedFor(signedIn("acc_two"), "RISK_REFUSED", "risk.A", TOLD);
    Appeal appeal = world.file(decision, signedIn("acc_two"));
    assertThat(world.appeals.look(decision, signedIn("acc_two")))
        .isEqualTo(new AppealOutcome.Own(appeal, TOLD, false));
  }

  @Test
  void aGrantedAppealAgainstARefusedClaimSparesTheBrowser() {
    String decision = ids.issue(world.now());
    StoredDecisions.Stored join = world.storedFor(ann, "RISK_REFUSED", "risk.A", TOLD);
    world.stored.one =
        new StoredDecisions.Stored(
            "RISK_REFUSED", null, join.rules(), "4", join.at(), join.origin(), TOLD, "{}");
    Appeal appeal = world.file(decision, ann);
    assertThat(world.appeals.decide(appeal.id(), Appeal.Draft.lift("a person", ""), "op"))
        .isInstanceOf(AppealOutcome.Decided.Done.class);
    assertThat(world.exemption(ann)).isEqualTo(Ban.APPEAL);
  }

  @Test
  void aWarningLetsAPersonInWhomRiskRefused() {
    world.openSale();
    String decision = ids.issue(world.now());
    world.stored.one = world.storedFor(ann, "RISK_REFUSED", "risk.A", TOLD);
    Appeal appeal = world.file(decision, ann);
    Appeal.Draft warn = Appeal.Draft.refuse(Appeal.Grade.WARN, "seen", "");
    assertThat(world.appeals.decide(appeal.id(), warn, "op"))
        .isInstanceOf(AppealOutcome.Decided.Done.class);
    assertThat(world.exemption(ann)).isEqualTo(Ban.APPEAL);
    assertThat(world.stored.results).containsExactly(decision + " false", decision + " behind");
  }

  @Test
  void aReceiptShowsItsAppealWhoeverElseHasAppealed() {
    String decision = ids.issue(world.now());
    world.stored.one = world.storedFor(ann, "RISK_REFUSED", "risk.A", TOLD);
    AppealOutcome.Filed foreign = filed(decision, person());
    AppealOutcome.Filed second = filed(decision, person());
    AppealOutcome.Filed own = filed(decision, ann);
    assertThat(world.appeals.file(decision, person(), TEXT, ""))
        .as("the refused person has appealed")
        .isEqualTo(new AppealOutcome.Others("RISK_REFUSED", false));
    for (AppealOutcome.Filed one : List.of(foreign, second, own)) {
      for (Person reader : List.of(person(), ann)) {
        assertThat(world.appeals.look(decision, reader, one.receipt()))
            .isEqualTo(new AppealOutcome.Own(one.appeal(), one.told(), false));
      }
    }
    assertThat(world.appeals.look(decision, person(), "wrong"))
        .isEqualTo(new AppealOutcome.Others("RISK_REFUSED", true));
  }

  @Test
  void onlyAFewStrangersAppealAgainstOneDecision() {
    String decision = ids.issue(world.now());
    world.stored.one = world.storedFor(ann, "RISK_REFUSED", "risk.A", TOLD);
    for (int i = 0; i < AppealService.MAX_OTHERS; i++) {
      assertThat(filed(decision, person()).appeal().filer().isRefused()).isFalse();
    }
    assertThat(world.appeals.file(decision, person(), TEXT, ""))
        .isEqualTo(new AppealOutcome.Others("RISK_REFUSED", false));
    assertThat(filed(decision, ann).appeal().filer().isRefused()).isTrue();
  }

  @Test
  void strangersWhoAppealAtOnceAreNoMore() {
    String decision = ids.issue(world.now());
    world.stored.one = world.storedFor(ann, "RISK_REFUSED", "risk.A", TOLD);
    CountDownLatch start = new CountDownLatch(1);
    List<CompletableFuture<AppealOutcome>> all =
        IntStream.range(0, 8)
            .mapToObj(
                _ ->
                    CompletableFuture.supplyAsync(
                        () -> {
                          await(start);
                          return world.appeals.file(decision, person(), TEXT, "");
                        },
                        task -> Thread.ofVirtual().start(task)))
            .toList();
    start.countDown();
    assertThat(all.stream().map(CompletableFuture::join))
        .filteredOn(AppealOutcome.Filed.class::isInstance)
        .hasSize(AppealService.MAX_OTHERS);
    assertThat(filed(decision, ann).appeal().filer().isRefused()).isTrue();
  }

  private static void await(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  /// A page that must not block names the reason that the id has; that of a stored decision has
  /// none.
  @Test
  void theIdOfAStoredDecisionHasNoReason() {
    assertThat(world.appeals.outline(ids.issue(world.now()))).isEmpty();
    assertThat(world.appeals.outline(world.limited("join", "3/60", ann)))
        .contains(new AppealOutcome.None("RATE_LIMIT_EXCEEDED", Explanation.NONE, false));
  }

  private AppealOutcome.Filed filed(String decision, Person person) {
    return (AppealOutcome.Filed) world.appeals.file(decision, person, TEXT, "");
  }

  @Test
  void theAccountOfADecisionIsKnownInAnotherBrowser() {
    String decision = ids.issue(world.now());
    world.stored.one = world.storedFor(signedIn("acc_ann"), "RISK_REFUSED", "risk.A", TOLD);
    assertThat(world.appeals.look(decision, signedIn("acc_ann")))
        .isEqualTo(new AppealOutcome.None("RISK_REFUSED", TOLD, false));
  }

  /// Such as a claim in LINE, whose person appeals in any browser.
  @Test
  void aDecisionWithoutABrowserIsAnybodys() {
    String decision = ids.issue(world.now());
    Person noBrowser = new Person(ann.address(), null, null);
    world.stored.one = world.storedFor(noBrowser, "RISK_REFUSED", "risk.A", TOLD);
    assertThat(world.file(decision, ann).filer().isRefused()).isTrue();
  }

  /// Somebody with an account, in a browser of their own.
  private static Person signedIn(String account) {
    Person browser = person();
    return new Person(browser.address(), browser.device(), account);
  }

  @Test
  void aDecisionWhoseRecordWasLostCanBeAppealedAgainstForADay() {
    String decision = ids.issue(world.now());
    world.advance(DecisionLookup.RECORDING.plusSeconds(2));
    assertThat(world.appeals.look(decision, ann))
        .isEqualTo(new AppealOutcome.None(Appeal.LOST, Explanation.NONE, false));
    Appeal appeal = world.file(decision, ann);
    assertThat(appeal.matter().ref()).isEqualTo(decision);
    var _ = world.appeals.decide(appeal.id(), Appeal.Draft.lift("lost", ""), "op");
    assertThat(world.exemption(ann)).isEqualTo(Ban.APPEAL);
    String later = ids.issue(world.now());
    world.advance(DecisionLookup.LOST.plusSeconds(2));
    assertThat(file(later)).isEqualTo(new AppealOutcome.Unknown());
  }

  @Test
  void anIdThatNoServerIssuedIsUnknown() {
    String decision = ids.issue(world.now());
    String forged = (decision.startsWith("A") ? "B" : "A") + decision.substring(1);
    for (String id :
        List.of(forged, "A".repeat(22), "%00", "../../etc/passwd", "x".repeat(5_000))) {
      assertThat(file(id)).as(id).isEqualTo(new AppealOutcome.Unknown());
      assertThat(world.appeals.look(id, ann)).as(id).isEqualTo(new AppealOutcome.Unknown());
    }
  }

  @Test
  void aLiftedChallengeSparesOneBrowserOneChallengeInTheSale() {
    world.openSale();
    Appeal appeal = world.file(world.refused(ErrorCode.INVALID_TURNSTILE_TOKEN, ann), ann);
    assertThat(world.appeals.decide(appeal.id(), Appeal.Draft.lift("no script", ""), "op"))
        .isInstanceOf(AppealOutcome.Decided.Done.class);
    assertThat(world.exemption(ann)).isEqualTo(Ban.once(AppealWorld.SALE));
    assertThat(world.isAllowed(ann)).as("limits count the person as before").isFalse();
  }

  @Test
  void aLiftedChallengeOfARoomSparesThoseOfRoomsForADay() {
    String decision = world.refusedWithoutSale(ErrorCode.INVALID_TURNSTILE_TOKEN, ann);
    var _ =
        world.appeals.decide(
            world.file(decision, ann).id(), Appeal.Draft.lift("no script", ""), "op");
    assertThat(world.exemption(ann)).isEqualTo(Ban.ROOMS);
    assertThat(world.isAllowed(ann)).as("limits count the person as before").isFalse();
    world.advance(Duration.ofDays(1).plusSeconds(1));
    assertThat(world.exemption(ann)).isEmpty();
  }

  @Test
  void aLiftedChallengeOfASaleReplacesThatOfARoom() {
    world.openSale();
    for (String decision :
        List.of(
            world.refusedWithoutSale(ErrorCode.INVALID_TURNSTILE_TOKEN, ann),
            world.refused(ErrorCode.INVALID_TURNSTILE_TOKEN, ann))) {
      Appeal appeal = world.file(decision, ann);
      var _ = world.appeals.decide(appeal.id(), Appeal.Draft.lift("no script", ""), "op");
    }
    assertThat(world.exemption(ann)).isEqualTo(Ban.once(AppealWorld.SALE));
  }

  @Test
  void anEntryThatSparesMoreStays() {
    Appeal first = world.file(world.refused(ErrorCode.INVALID_TURNSTILE_TOKEN, ann), ann);
    var _ =
        world.appeals.decide(
            first.id(), Appeal.Draft.allow(Duration.ofHours(1), "a library", ""), "op");
    Appeal second = world.file(world.refused(ErrorCode.INVALID_TURNSTILE_TOKEN, ann), ann);
    var _ = world.appeals.decide(second.id(), Appeal.Draft.lift("no script", ""), "op");
    assertThat(world.exemption(ann)).isEqualTo(Ban.APPEAL);
  }

  @Test
  void anAddressAloneIsSparedNothing() {
    Person nobody = new Person(ann.address(), null, null);
    Appeal appeal = world.file(world.refused(ErrorCode.INVALID_TURNSTILE_TOKEN, nobody), nobody);
    var _ = world.appeals.decide(appeal.id(), Appeal.Draft.lift("no script", ""), "op");
    assertThat(world.exemption(nobody)).isEmpty();
  }
}
