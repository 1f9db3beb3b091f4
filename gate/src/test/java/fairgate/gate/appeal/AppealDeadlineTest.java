package fairgate.gate.appeal;

import static fairgate.gate.appeal.AppealWorld.SALE;
import static fairgate.gate.appeal.AppealWorld.person;
import static org.assertj.core.api.Assertions.assertThat;

import fairgate.TestEngines;
import fairgate.gate.appeal.AppealService.Person;
import fairgate.gate.ban.Ban;
import fairgate.kernel.BanSubject;
import fairgate.kernel.ErrorCode;
import fairgate.platform.postgres.FreshDatabase;
import fairgate.testkit.Eventually;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@Tag("slow")
class AppealDeadlineTest {
  private static final FreshDatabase BOOKS = new FreshDatabase(TestEngines.shared());
  private static final Duration A_SECOND = Duration.ofSeconds(1);
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

  private Appeal fileInSale(Person person) {
    return world.file(decision(person), person);
  }

  private static Duration life(Appeal appeal) {
    return Duration.ofMillis(appeal.dueAt() - appeal.filedAt());
  }

  private double gauge(String name) {
    return world
        .metrics
        .scrape()
        .lines()
        .filter(line -> line.startsWith(name + " "))
        .mapToDouble(line -> Double.parseDouble(line.substring(name.length() + 1)))
        .findFirst()
        .orElseThrow();
  }

  @Test
  void anAppealHasThreeDaysWithoutASaleAndAQuarterOfAnHourDuringOne() {
    assertThat(life(fileInSale(ann))).isCloseTo(Duration.ofDays(3), A_SECOND);
    world.openSale();
    assertThat(life(fileInSale(person()))).isCloseTo(Duration.ofMinutes(15), A_SECOND);
    // A decision that named no sale counts with any.
    Person bob = person();
    assertThat(life(world.file(world.limited("page", "5/1", bob), bob)))
        .isCloseTo(Duration.ofMinutes(15), A_SECOND);
  }

  @Test
  void theDeadlineFollowsTheSale() {
    Appeal appeal = fileInSale(ann);
    world.advance(Duration.ofHours(1));
    world.openSale();
    world.feature.pass();
    Appeal during = world.appeal(appeal.id());
    assertThat(during.onSale()).isTrue();
    assertThat(life(during)).isCloseTo(Duration.ofMinutes(75), Duration.ofSeconds(20));
    world.feature.pass();
    assertThat(world.appeal(appeal.id())).isEqualTo(during);
    world.open.clear();
    world.feature.pass();
    Appeal after = world.appeal(appeal.id());
    assertThat(after.onSale()).isFalse();
    assertThat(life(after)).isCloseTo(Duration.ofDays(3), A_SECOND);
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void anOverdueAppealIsReportedUntilItIsDecided(boolean onSale) {
    if (onSale) {
      world.openSale();
    }
    Ban ban = world.ban(world.device(ann), null);
    Appeal appeal = world.file(world.banned(ban, ann), ann);
    world.feature.pass();
    assertThat(gauge("fairgate_appeals_open")).isEqualTo(1);
    assertThat(gauge("fairgate_appeals_overdue")).isZero();
    world.advance((onSale ? Duration.ofMinutes(15) : Duration.ofDays(3)).plusSeconds(1));
    world.feature.pass();
    assertThat(world.isBanned(world.bans, ann)).isTrue();
    assertThat(gauge("fairgate_appeals_overdue")).isEqualTo(1);
    Appeal.Draft refusal = Appeal.Draft.refuse(Appeal.Grade.DAYS_30, "a program", "");
    var _ = world.appeals.decide(appeal.id(), refusal, "operator");
    world.feature.pass();
    assertThat(gauge("fairgate_appeals_open")).isZero();
    assertThat(gauge("fairgate_appeals_overdue")).isZero();
  }

  @Test
  void aLetterThatCannotBeReadIsDecided() {
    Ban ban = world.ban(world.device(ann), null);
    Appeal unreadable = world.file(world.banned(ban, ann), ann, "a zero\0 byte");
    var _ = world.appeals.decide(unreadable.id(), Appeal.Draft.lift("fine", ""), "operator");
    assertThat(world.appeal(unreadable.id()).state()).isEqualTo(Appeal.State.GRANTED);
  }

  @Test
  void theQueueBeginsWithTheMostUrgentAppealAndContinuesAfterACursor() {
    Appeal slow = fileInSale(ann);
    world.openSale();
    Appeal first = fileInSale(person());
    world.advance(A_SECOND);
    Appeal second = fileInSale(person());
    List<Appeal> page = world.appeals.list(queue(0, 0, 2));
    assertThat(page).containsExactly(first, second);
    assertThat(world.appeals.list(queue(second.dueAt(), second.id(), 2))).containsExactly(slow);
  }

  @Test
  void aGrantedAppealClosesThoseOfOthersAgainstTheSameDecision() {
    world.openSale();
    String decision = decision(ann);
    List<Person> people = List.of(person(), person(), person());
    List<Appeal> others = people.stream().map(it -> world.file(decision, it)).toList();
    Person bob = person();
    Appeal unrelated = world.file(decision(bob), bob);
    Appeal own = world.file(decision, ann);
    var _ = world.appeals.decide(own.id(), Appeal.Draft.lift("a dormitory", ""), "operator");
    assertThat(others)
        .allSatisfy(it -> assertThat(world.appeal(it.id()).state()).isEqualTo(Appeal.State.CLOSED));
    assertThat(world.appeals.look(decision, people.getFirst()))
        .isInstanceOf(AppealOutcome.Own.class);
    world.advance(Duration.ofMinutes(16));
    world.feature.pass();
    assertThat(world.appeal(unrelated.id()).state()).isEqualTo(Appeal.State.OPEN);
    assertThat(gauge("fairgate_appeals_overdue")).isEqualTo(1);
  }

  /// A decision holds its appeal and then closes that of another, which is older. The opening of
  /// the sale changes both.
  @Test
  void aSaleThatOpensDuringADecisionDoesNotStopEither() {
    String decision = world.refused(ErrorCode.UNPAID_COOLDOWN, ann);
    Appeal other = world.file(decision, person());
    Appeal own = world.file(decision, ann);
    world.openSale();
    CompletableFuture<Void> pass = new CompletableFuture<>();
    world.feature.onEndPause(
        (_, _, _) -> {
          CompletableFuture<Void> running = CompletableFuture.runAsync(world.feature::pass);
          Eventually.await("the pass ends or waits", () -> running.isDone() || isOneWaiting());
          var _ = pass.completeAsync(running::join);
        });
    assertThat(world.appeals.decide(own.id(), Appeal.Draft.lift("the bank", ""), "operator"))
        .isInstanceOf(AppealOutcome.Decided.Done.class);
    assertThat(pass).succeedsWithin(Duration.ofSeconds(60));
    assertThat(world.appeal(other.id()).state()).isEqualTo(Appeal.State.CLOSED);
    assertThat(world.appeal(other.id()).onSale()).isTrue();
  }

  private static boolean isOneWaiting() {
    return BOOKS.number(
            "SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock'"
                + " AND datname = current_database()")
        > 0;
  }

  /// The next pass does what was left out during a decision.
  @Test
  void theDeadlineOfAnAppealThatStaysOpenAfterAllFollowsTheSale() {
    Appeal appeal = fileInSale(ann);
    world.openSale();
    var _ =
        BOOKS
            .database()
            .tx(
                db -> {
                  var _ = db.query("SELECT FROM appeals WHERE id = $1 FOR UPDATE", appeal.id());
                  CompletableFuture.runAsync(world.feature::pass).join();
                  return appeal;
                });
    assertThat(world.appeal(appeal.id()).onSale()).isFalse();
    world.feature.pass();
    assertThat(world.appeal(appeal.id()).onSale()).isTrue();
  }

  @Test
  void anAppealOfAnotherThatArrivesDuringTheDecisionIsClosedSoon() {
    String decision = decision(ann);
    Appeal other = world.file(decision, person());
    Appeal own = world.file(decision, ann);
    var _ = world.appeals.decide(own.id(), Appeal.Draft.lift("a dormitory", ""), "operator");
    var _ =
        BOOKS
            .database()
            .tx(
                db ->
                    db.update(
                        "UPDATE appeals SET state = 'open', decided_at = NULL WHERE id = $1",
                        other.id()));
    world.feature.pass();
    assertThat(world.appeal(other.id()).state()).isEqualTo(Appeal.State.CLOSED);
  }

  @Test
  void onlyGrantedAppealsOfTheRefusedPersonCloseThoseOfOthers() {
    String first = decision(ann);
    Appeal other = world.file(first, person());
    Appeal second = world.file(first, person());
    var _ = world.appeals.decide(second.id(), Appeal.Draft.lift("fine", ""), "operator");
    Appeal own = world.file(first, ann);
    Appeal.Draft refusal = Appeal.Draft.refuse(Appeal.Grade.WARN, "seen", "");
    var _ = world.appeals.decide(own.id(), refusal, "operator");
    world.feature.pass();
    assertThat(world.appeal(other.id()).state()).isEqualTo(Appeal.State.OPEN);
  }

  @Test
  void aBanThatStaysForOthersLeavesTheirAppealsOpen() {
    Ban ban = world.ban(BanSubject.client(ann.address()), Duration.ofHours(1));
    Person neighbour = person(ann.address().text());
    Person second = person(ann.address().text());
    String decision = world.banned(ban, ann);
    Appeal open = world.file(decision, neighbour);
    Appeal own = world.file(decision, ann);
    Appeal.Draft allow = Appeal.Draft.allow(Duration.ofMinutes(5), "a student", "");
    var _ = world.appeals.decide(own.id(), allow, "operator");
    world.feature.pass();
    assertThat(world.appeal(open.id()).state()).isEqualTo(Appeal.State.OPEN);
    String lifted = world.banned(ban, second);
    Appeal closed = world.file(lifted, person());
    Appeal third = world.file(lifted, second);
    var _ = world.appeals.decide(third.id(), Appeal.Draft.lift("a school", ""), "operator");
    assertThat(world.appeal(closed.id()).state()).isEqualTo(Appeal.State.CLOSED);
  }

  private String decision(Person person) {
    return world.refused(ErrorCode.NETWORK_LIMIT_REACHED, person);
  }

  private static Appeal.Query queue(long afterDue, long after, int limit) {
    return new Appeal.Query(
        Appeal.State.OPEN, false, SALE, "NETWORK_LIMIT_REACHED", null, afterDue, after, limit);
  }
}
