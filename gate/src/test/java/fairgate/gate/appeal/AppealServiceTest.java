package fairgate.gate.appeal;

import static fairgate.gate.appeal.AppealWorld.SALE;
import static fairgate.gate.appeal.AppealWorld.TEXT;
import static fairgate.gate.appeal.AppealWorld.person;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import fairgate.TestEngines;
import fairgate.gate.appeal.AppealService.Person;
import fairgate.gate.ban.Ban;
import fairgate.gate.risk.Explanation;
import fairgate.kernel.BanSubject;
import fairgate.kernel.ErrorCode;
import fairgate.kernel.ServiceUnavailable;
import fairgate.platform.postgres.FreshDatabase;
import fairgate.testkit.Eventually;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

@Tag("slow")
class AppealServiceTest {
  private static final FreshDatabase BOOKS = new FreshDatabase(TestEngines.shared());
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

  private static Appeal.Draft refusal(Appeal.@Nullable Grade grade) {
    return Appeal.Draft.refuse(grade, "seen", "We looked at it.");
  }

  private AppealOutcome.Decided decide(Appeal appeal, Appeal.Draft draft) {
    return world.appeals.decide(appeal.id(), draft, "operator@127.0.0.1");
  }

  private Appeal done(Appeal appeal, Appeal.Draft draft) {
    return decide(appeal, draft) instanceof AppealOutcome.Decided.Done(Appeal decided)
        ? decided
        : org.assertj.core.api.Assertions.fail("not decided");
  }

  private Ban inForce() {
    List<Ban> bans =
        world.bans.list(new Ban.Query(Ban.Effect.BAN, null, null, false, 0, 10)).stream()
            .map(it -> it.ban())
            .toList();
    assertThat(bans).hasSize(1);
    return bans.getFirst();
  }

  @Test
  void aDecisionIsAppealedAgainstOnce() {
    String decision = world.limited("join", "3/60", ann);
    assertThat(world.appeals.look(decision, ann))
        .isEqualTo(new AppealOutcome.None("RATE_LIMIT_EXCEEDED", Explanation.NONE, false));
    Appeal appeal = world.file(decision, ann);
    assertThat(appeal.matter().rules()).containsExactly("limit.join");
    assertThat(appeal.matter().version()).isEqualTo("3/60");
    assertThat(appeal.filer().sameBrowser()).isTrue();
    assertThat(appeal.filer().sameNetwork()).isTrue();
    assertThat(world.appeals.file(decision, ann, TEXT, ""))
        .isEqualTo(new AppealOutcome.Own(appeal, Explanation.NONE, false));
    assertThat(world.appeals.file(decision, person(), TEXT, ""))
        .isInstanceOf(AppealOutcome.Others.class);
    // A further refusal by the same limit is the same matter while the appeal is open.
    assertThat(world.appeals.file(world.limited("join", "3/60", ann), ann, TEXT, ""))
        .isEqualTo(new AppealOutcome.Own(appeal, Explanation.NONE, false));
  }

  @Test
  void anotherLetterAgainstTheSameDecisionIsNotAdded() {
    String decision = world.limited("join", "3/60", ann);
    Appeal appeal = world.file(decision, ann);
    AppealOutcome.Own own = new AppealOutcome.Own(appeal, Explanation.NONE, false);
    assertThat(world.appeals.file(decision, ann, "One thing more.", ""))
        .isEqualTo(new AppealOutcome.NotAdded(own, "RATE_LIMIT_EXCEEDED"));
    Appeal.Letter kept = world.appeals.evidence(appeal.id()).orElseThrow().letter();
    assertThat(Objects.requireNonNull(kept).text()).isEqualTo(TEXT);

    Person nobody = new Person(ann.address(), null, null);
    Ban ban = world.ban(BanSubject.client(ann.address()), Duration.ofHours(1));
    String banned = world.banned(ban, nobody);
    Appeal _ = world.file(banned, nobody);
    assertThat(world.appeals.file(banned, nobody, TEXT, ""))
        .as("a repeat")
        .isEqualTo(new AppealOutcome.Others("CLIENT_BANNED", false));
    assertThat(world.appeals.file(banned, nobody, "One thing more.", ""))
        .isEqualTo(new AppealOutcome.NotAdded(null, "CLIENT_BANNED"));
  }

  /// Of two people without a cookie at one address, each has an appeal.
  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void peopleWithoutCookiesAtOneAddressHaveAppealsOfTheirOwn(boolean banned) {
    Person one = new Person(ann.address(), null, null);
    Person other = new Person(ann.address(), null, null);
    Ban ban = world.ban(BanSubject.client(ann.address()), Duration.ofHours(1));
    String first =
        banned ? world.banned(ban, one) : world.refused(ErrorCode.NETWORK_LIMIT_REACHED, one);
    String second =
        banned ? world.banned(ban, other) : world.refused(ErrorCode.NETWORK_LIMIT_REACHED, other);
    Appeal appeal = world.file(first, one);
    assertThat(world.appeals.look(second, other)).isInstanceOf(AppealOutcome.None.class);
    assertThat(world.file(second, other, "I was not the other one.").id())
        .isNotEqualTo(appeal.id());
    assertThat(world.appeals.file(first, one, TEXT, ""))
        .as("a repeat")
        .isInstanceOf(AppealOutcome.Others.class);
    assertThat(BOOKS.number("SELECT count(*) FROM appeals WHERE state = 'open'")).isEqualTo(2);
  }

  /// A refused appeal replaces the ban. The next appeal against the same ban is about the new one.
  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void aLaterDecisionAboutTheSameBanIsAboutWhatTheEarlierOneLeft(boolean lifted) {
    Person one = new Person(ann.address(), null, null);
    Ban ban = world.ban(BanSubject.client(ann.address()), null);
    Appeal first = world.file(world.banned(ban, one), one);
    Appeal second = world.file(world.banned(ban, one), one, "I was not the other one.");
    var _ = done(first, refusal(Appeal.Grade.DAYS_30));
    assertThat(world.isBanned(world.bans, one)).isTrue();
    var _ = done(second, lifted ? Appeal.Draft.lift("a school", "") : refusal(Appeal.Grade.WARN));
    assertThat(world.isBanned(world.bans, one)).isFalse();
  }

  @Test
  void anAccountWithoutACookieHasOneAppealForOneSale() {
    Person member = new Person(ann.address(), null, "acc_1");
    Appeal appeal = paused(ErrorCode.UNPAID_COOLDOWN, member);
    String again = world.refused(ErrorCode.UNPAID_COOLDOWN, member);
    assertThat(world.appeals.file(again, member, TEXT, ""))
        .isEqualTo(new AppealOutcome.Own(appeal, Explanation.NONE, false));
  }

  @Test
  void aGrantedAppealEndsThePauseOfThePersonInTheSale() {
    List<String> ended = new CopyOnWriteArrayList<>();
    world.feature.onEndPause(
        (sale, device, account) -> ended.add(sale + " " + device + " " + account));
    String browser = world.fixture.keys.fingerprint("device", "7|" + value(ann));
    var _ = done(paused(ErrorCode.TURN_MISSED, ann), Appeal.Draft.lift("ill", ""));
    assertThat(ended).containsExactly("7 " + browser + " null");
    Person member = new Person(ann.address(), null, "acc_1");
    Appeal second = paused(ErrorCode.UNPAID_COOLDOWN, member);
    var _ = done(second, Appeal.Draft.allow(Duration.ofHours(1), "bank", ""));
    assertThat(ended).last().isEqualTo("7 null acc_1");
    ended.clear();
    var _ = done(paused(ErrorCode.TURN_MISSED, person()), refusal(Appeal.Grade.WARN));
    var _ =
        done(paused(ErrorCode.NETWORK_LIMIT_REACHED, person()), Appeal.Draft.lift("dormitory", ""));
    assertThat(ended).isEmpty();
  }

  @Test
  void anAppealStaysOpenWhenThePauseCannotBeEnded() {
    AtomicInteger calls = new AtomicInteger();
    world.feature.onEndPause(
        (_, _, _) -> {
          if (calls.incrementAndGet() == 1) {
            throw new ServiceUnavailable("Redis is away", Duration.ofSeconds(1));
          }
        });
    Appeal appeal = paused(ErrorCode.UNPAID_COOLDOWN, ann);
    Appeal.Draft lift = Appeal.Draft.lift("bank", "");
    assertThatThrownBy(() -> decide(appeal, lift)).isInstanceOf(ServiceUnavailable.class);
    assertThat(world.appeal(appeal.id()).state()).isEqualTo(Appeal.State.OPEN);
    assertThat(done(appeal, lift).state()).isEqualTo(Appeal.State.GRANTED);
    assertThat(calls).hasValue(2);
  }

  @Test
  void aGrantThatFailedLeavesNothingWhenTheAppealIsRefusedAfterwards() {
    world.feature.onEndPause(
        (_, _, _) -> {
          throw new ServiceUnavailable("Redis is away", Duration.ofSeconds(1));
        });
    Appeal appeal = paused(ErrorCode.UNPAID_COOLDOWN, ann);
    Appeal.Draft allow = Appeal.Draft.allow(Duration.ofHours(1), "bank", "");
    assertThatThrownBy(() -> decide(appeal, allow)).isInstanceOf(ServiceUnavailable.class);
    assertThat(world.exemption(ann)).isEqualTo(Ban.APPEAL);
    var _ = done(appeal, refusal(null));
    assertThat(world.exemption(ann)).isEmpty();
  }

  private Appeal paused(ErrorCode code, Person who) {
    return world.file(world.refused(code, who), who);
  }

  private static String value(Person who) {
    return Objects.requireNonNull(who.device()).value();
  }

  @Test
  void aBannedPersonAppealsOncePerBanHoweverManyRequestsWereRefused() {
    Ban ban = world.ban(BanSubject.client(ann.address()), Duration.ofHours(1));
    Appeal appeal = world.file(world.banned(ban, ann), ann);
    var _ = done(appeal, refusal(Appeal.Grade.YEAR));
    assertThat(world.appeals.file(world.banned(ban, ann), ann, TEXT, ""))
        .isInstanceOf(AppealOutcome.Own.class);
    // Others at the address have an appeal of their own.
    Person other = person(ann.address().text());
    assertThat(world.appeals.file(world.banned(ban, other), other, TEXT, ""))
        .isInstanceOf(AppealOutcome.Filed.class);
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void anotherBrowserSeesTheAppealWithItsReceiptOnly(boolean banned) {
    String decision =
        banned
            ? world.banned(world.ban(world.device(ann), null), ann)
            : world.limited("join", "3/60", ann);
    String code = banned ? "CLIENT_BANNED" : "RATE_LIMIT_EXCEEDED";
    AppealOutcome filed = world.appeals.file(decision, ann, TEXT, "ann@example.org");
    String receipt = ((AppealOutcome.Filed) filed).receipt();
    assertThat(receipt).matches("[2-9A-HJ-NP-Z]{12}");
    Person telephone = person();
    assertThat(world.appeals.look(decision, telephone))
        .isEqualTo(new AppealOutcome.Others(code, false));
    assertThat(world.appeals.look(decision, telephone, "WRONG2345678"))
        .isEqualTo(new AppealOutcome.Others(code, true));
    String typed =
        receipt.substring(0, 4) + "-" + receipt.substring(4).toLowerCase(java.util.Locale.ROOT);
    assertThat(world.appeals.look(decision, telephone, typed))
        .isInstanceOf(AppealOutcome.Own.class);
  }

  /// The limits send a cached refusal to everybody at the address, with or without a cookie.
  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void everybodyWithTheSameCachedRefusalHasAnAppealOfTheirOwn(boolean cookie) {
    Person first = cookie ? ann : new Person(ann.address(), null, null);
    String decision = world.limited("page", "5/1", first);
    List<Person> people =
        Stream.concat(Stream.of(ann), Stream.generate(() -> person(ann.address().text())).limit(5))
            .toList();
    for (Person one : people) {
      assertThat(world.appeals.look(decision, one))
          .isEqualTo(new AppealOutcome.None("RATE_LIMIT_EXCEEDED", Explanation.NONE, false));
      Appeal own = world.file(decision, one);
      AppealOutcome.Own shown = new AppealOutcome.Own(own, Explanation.NONE, false);
      assertThat(world.appeals.look(decision, one)).isEqualTo(shown);
      assertThat(world.appeals.file(decision, one, TEXT, "")).as("a repeat").isEqualTo(shown);
    }
    assertThat(world.appeals.file(decision, person(), TEXT, ""))
        .as("somebody elsewhere")
        .isInstanceOf(AppealOutcome.Others.class);
  }

  @Test
  void aStrangersAppealDoesNotStandInTheWayOfTheRefusedPersons() {
    Person bob = person();
    String decision = world.limited("page", "5/1", ann);
    Appeal foreign = world.file(decision, bob);
    assertThat(foreign.filer().isRefused()).isFalse();
    assertThat(world.appeals.look(decision, ann)).isInstanceOf(AppealOutcome.None.class);
    Appeal own = world.file(decision, ann);
    assertThat(own.id()).isNotEqualTo(foreign.id());
    assertThat(own.filer().isRefused()).isTrue();
    assertThat(world.appeals.look(decision, ann))
        .isEqualTo(new AppealOutcome.Own(own, Explanation.NONE, false));
    assertThat(world.appeals.look(decision, bob))
        .isEqualTo(new AppealOutcome.Own(foreign, Explanation.NONE, false));
  }

  @Test
  void forgedAndOldDecisionsAreUnknown() {
    String decision = world.limited("join", "3/60", ann);
    assertThat(world.appeals.look(decision + "A", ann)).isInstanceOf(AppealOutcome.Unknown.class);
    assertThat(world.appeals.look("AAAAAAAAAAAAAAAAAAAAAA", ann))
        .isInstanceOf(AppealOutcome.Unknown.class);
    world.advance(DecisionLookup.LONGEST_AGE.plusSeconds(1));
    assertThat(world.appeals.look(decision, ann)).isInstanceOf(AppealOutcome.Unknown.class);
    assertThat(world.appeals.file(decision, ann, TEXT, ""))
        .isInstanceOf(AppealOutcome.Unknown.class);
  }

  @Test
  void theLetterIsStoredEncryptedAndErasedAfterHalfAYear() {
    Appeal appeal = world.file(world.limited("join", "3/60", ann), ann);
    assertThat(BOOKS.number("SELECT count(*) FROM appeals a WHERE a::text LIKE '%school%'"))
        .isZero();
    assertThat(
            BOOKS.number(
                "SELECT count(*) FROM appeals a WHERE a::text LIKE $1",
                "%" + ann.address().text() + "%"))
        .isZero();
    AppealService.Evidence evidence = world.appeals.evidence(appeal.id()).orElseThrow();
    assertThat(evidence.letter()).isEqualTo(new Appeal.Letter(TEXT, "", ann.address().text(), ""));
    var _ = done(appeal, Appeal.Draft.lift("fine", ""));
    world.advance(Duration.ofDays(184));
    world.feature.pass();
    assertThat(world.appeals.evidence(appeal.id()).orElseThrow().letter()).isNull();
  }

  @Test
  void liftingABanIsInForceOnAllNodes() {
    Ban ban = world.ban(BanSubject.client(ann.address()), null);
    Eventually.await("both nodes ban", () -> world.isBanned(world.otherNode, ann));
    Appeal appeal = world.file(world.banned(ban, ann), ann);
    Appeal decided = done(appeal, Appeal.Draft.lift("a school", "You are welcome."));
    assertThat(decided.state()).isEqualTo(Appeal.State.GRANTED);
    assertThat(world.isBanned(world.bans, ann)).isFalse();
    Eventually.await("the other node knows", () -> !world.isBanned(world.otherNode, ann));
  }

  @Test
  void anAllowanceExemptsThePersonAndNobodyElse() {
    Ban ban =
        world.ban(
            Objects.requireNonNull(BanSubject.parse(BanSubject.Kind.NETWORK, "203.0.113.0/24")),
            null);
    Person student = person("203.0.113.7");
    Person bot = person("203.0.113.7");
    Appeal appeal = world.file(world.banned(ban, student), student);
    var _ = done(appeal, Appeal.Draft.allow(Duration.ofHours(1), "a student", ""));
    assertThat(world.isBanned(world.bans, student)).isFalse();
    assertThat(world.isBanned(world.bans, bot)).isTrue();
    world.advance(Duration.ofMinutes(61));
    assertThat(world.isBanned(world.bans, student)).isTrue();
  }

  @ParameterizedTest
  @EnumSource(Appeal.Grade.class)
  void aRefusalReplacesABanForLifeByItsGrade(Appeal.Grade grade) {
    world.openSale();
    Ban ban = world.ban(world.device(ann), null);
    Appeal appeal = world.file(world.banned(ban, ann), ann);
    Appeal decided = done(appeal, refusal(grade));
    assertThat(decided.state()).isEqualTo(Appeal.State.REFUSED);
    assertThat(world.isBanned(world.bans, ann)).isEqualTo(grade != Appeal.Grade.WARN);
    if (grade != Appeal.Grade.WARN) {
      Duration rest = Duration.ofMillis(inForce().until() - world.now());
      Duration most =
          Duration.ofDays(
              switch (grade) {
                case WARN -> 0;
                case SALE -> 1;
                case DAYS_30 -> 30;
                case YEAR -> 365;
              });
      assertThat(rest).isBetween(most.minusHours(1), most.plusHours(1));
    }
  }

  @Test
  void anAppealNeverMakesABanLonger() {
    Ban ban = world.ban(world.device(ann), Duration.ofHours(1));
    Appeal appeal = world.file(world.banned(ban, ann), ann);
    var _ = done(appeal, refusal(Appeal.Grade.YEAR));
    assertThat(inForce().until()).isEqualTo(ban.until());
  }

  @Test
  void aRefusalWithoutAGradeLeavesTheBanAsItIs() {
    Ban ban = world.ban(world.device(ann), null);
    var _ = done(world.file(world.banned(ban, ann), ann), refusal(null));
    assertThat(inForce()).isEqualTo(ban);
  }

  @Test
  void aRefusalBansNobody() {
    Appeal appeal = world.file(world.limited("join", "3/60", ann), ann);
    assertThat(decide(appeal, refusal(Appeal.Grade.YEAR)))
        .isEqualTo(new AppealOutcome.Decided.NoBan());
    assertThat(done(appeal, refusal(null)).state()).isEqualTo(Appeal.State.REFUSED);
    assertThat(world.isBanned(world.bans, ann)).isFalse();
  }

  /// Earlier versions stored more grades.
  @Test
  void anAppealWithAGradeThatIsGoneIsRefused() {
    Appeal appeal = world.file(world.limited("join", "3/60", ann), ann);
    var _ = done(appeal, refusal(Appeal.Grade.WARN));
    var _ = BOOKS.database().tx(db -> db.update("UPDATE appeals SET grade = 'behind'"));
    Appeal read = world.appeal(appeal.id());
    assertThat(read.state()).isEqualTo(Appeal.State.REFUSED);
    assertThat(Objects.requireNonNull(read.ruling()).grade()).isNull();
  }

  @Test
  void aMildRefusalExemptsThePersonFromABanOfAWholeNetwork() {
    Ban ban =
        world.ban(
            Objects.requireNonNull(BanSubject.parse(BanSubject.Kind.NETWORK, "203.0.113.0/24")),
            null);
    Person student = person("203.0.113.7");
    var _ = done(world.file(world.banned(ban, student), student), refusal(Appeal.Grade.WARN));
    assertThat(world.isBanned(world.bans, student)).isFalse();
    assertThat(world.isBanned(world.bans, person("203.0.113.7"))).isTrue();
  }

  @Test
  void anAppealIsDecidedAlthoughItsBanHasEnded() {
    Ban ban = world.ban(world.device(ann), Duration.ofHours(1));
    Appeal appeal = world.file(world.banned(ban, ann), ann);
    world.advance(Duration.ofHours(2));
    assertThat(done(appeal, Appeal.Draft.lift("over anyway", "")).state())
        .isEqualTo(Appeal.State.GRANTED);
    assertThat(world.isBanned(world.bans, ann)).isFalse();
  }

  @Test
  void ofManyOperatorsTheFirstDecides() {
    Ban ban = world.ban(world.device(ann), Duration.ofDays(400));
    Appeal appeal = world.file(world.banned(ban, ann), ann);
    CountDownLatch start = new CountDownLatch(1);
    List<CompletableFuture<AppealOutcome.Decided>> all =
        IntStream.range(0, 4)
            .mapToObj(
                i ->
                    CompletableFuture.supplyAsync(
                        () -> {
                          await(start);
                          return decide(
                              appeal,
                              i % 2 == 0
                                  ? Appeal.Draft.lift("even", "")
                                  : refusal(Appeal.Grade.DAYS_30));
                        },
                        task -> Thread.ofVirtual().start(task)))
            .toList();
    start.countDown();
    List<AppealOutcome.Decided> outcomes = all.stream().map(CompletableFuture::join).toList();
    assertThat(outcomes).filteredOn(AppealOutcome.Decided.Done.class::isInstance).hasSize(1);
    assertThat(outcomes).filteredOn(AppealOutcome.Decided.Before.class::isInstance).hasSize(3);
    boolean granted = world.appeal(appeal.id()).state() == Appeal.State.GRANTED;
    assertThat(world.isBanned(world.bans, ann)).isEqualTo(!granted);
  }

  private static void await(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  @Test
  void theResultReachesTheEngineThatDecided() {
    world.stored.one = world.storedFor(ann, "SEAT_BEHIND", "risk.DATACENTRE", Explanation.NONE);
    String decision = "BBBBBBBBBBBBBBBBBBBBBB";
    Appeal appeal = world.file(decision, ann);
    assertThat(appeal.matter().code()).isEqualTo("SEAT_BEHIND");
    assertThat(world.appeals.evidence(appeal.id()).orElseThrow().decision()).isEqualTo("{}");
    var _ = done(appeal, Appeal.Draft.lift("a person", ""));
    assertThat(world.stored.results).containsExactly(decision + " true");
  }

  @Test
  void theTableOfASaleWithholdsSmallNumbers() {
    world.openSale();
    for (int i = 0; i < 6; i++) {
      Person person = person();
      world.feature.count(decision(person));
      Appeal appeal = world.file(world.refused(ErrorCode.NETWORK_LIMIT_REACHED, person), person);
      world.advance(Duration.ofMinutes(2));
      if (i < 5) {
        var _ = done(appeal, i < 3 ? Appeal.Draft.lift("fine", "") : refusal(Appeal.Grade.WARN));
      }
    }
    world.feature.pass();
    SaleDecisions.Table table = world.feature.decisions().table(SALE);
    assertThat(table.decisions()).isEqualTo(6);
    assertThat(table.appeals()).isEqualTo(6);
    assertThat(table.decided()).isEqualTo(5);
    assertThat(table.won()).isEqualTo(SaleDecisions.FEW);
    assertThat(table.medianSeconds()).isBetween(120L, 180L);
  }

  private fairgate.kernel.Decision decision(Person person) {
    return new fairgate.kernel.DecisionCodec(world.fixture.keys)
        .decode(world.refused(ErrorCode.NETWORK_LIMIT_REACHED, person))
        .orElseThrow();
  }
}
