package fairgate.draw;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import com.google.errorprone.annotations.CanIgnoreReturnValue;
import fairgate.draw.DrawEntries.Removal;
import fairgate.draw.PostgresEntries.Entry;
import fairgate.draw.leaf.HouseLeaf.AllocationReport;
import fairgate.draw.lots.DrawOrder;
import fairgate.draw.verify.Verdict;
import fairgate.draw.verify.VerdictCode;
import fairgate.kernel.ErrorCode;
import fairgate.platform.http.Refusal;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

/// The course of a draw from the rules to the report, judged by the public verifier.
@Tag("slow")
class DrawCourseTest {
  /// The entries in order of their ranks.
  private static List<Entry> ranked(DrawWorld world, List<Entry> entries) {
    Map<Long, Long> ranks = new HashMap<>();
    entries.forEach(
        entry ->
            ranks.put(
                entry.index(),
                world.stores.results().rank(DrawWorld.ID, entry.index()).await().orElseThrow()));
    return entries.stream()
        .sorted(Comparator.comparing(entry -> ranks.get(entry.index())))
        .toList();
  }

  @CanIgnoreReturnValue
  private static List<Entry> enter(DrawWorld world, int people) {
    List<Entry> entries = new ArrayList<>();
    for (int i = 0; i < people; i++) {
      entries.add(world.entered(i, 1));
    }
    return entries;
  }

  private static void expect(DrawWorld world, Verdict.Stage stage) {
    Verdict verdict = world.verify();
    assertThat(verdict.code()).as(verdict.detail()).isEqualTo(VerdictCode.OK);
    assertThat(verdict.stage()).isEqualTo(stage);
  }

  private static AllocationReport report(DrawWorld world) {
    return world.draw().report().orElseThrow().report();
  }

  @Test
  void anEntryNeedsADepositOfItsOwn() {
    try (DrawWorld world = DrawWorld.unannounced(3)) {
      world.askForDeposit();
      assertThat(world.announce(world.rules(""))).isEqualTo(PostgresDraws.Created.NEW);
      world.open();
      var lacks =
          new DrawEntries.Outcome.Refused(
              Refusal.of(ErrorCode.DEPOSIT_REQUIRED)
                  .with("deposit", 20L)
                  .with("currency", "TWD")
                  .with("currency_exponent", 2)
                  .with("deposit_passed", "returned")
                  .with("deposit_url", "/p/%s/deposit".formatted(world.product().id().value())));
      assertThat(world.enter(1, 1)).isEqualTo(lacks);
      world.paysDeposit(1);
      Entry entry = world.entered(1, 1);
      assertThat(world.entered(1, 1)).as("a repeat").isEqualTo(entry);
      assertThat(world.enter(2, 1)).isEqualTo(lacks);
      assertThat(
              world.books.number(
                  "SELECT count(*) FROM deposits WHERE entry = $1",
                  UUID.fromString(entry.session().value())))
          .isEqualTo(1);
    }
  }

  @Test
  void unitsGoToTheLowestLotsAndThoseWhoDoNotBuyPassThemOn() {
    try (DrawWorld world = DrawWorld.open(3, "")) {
      List<Entry> entries = enter(world, 8);
      assertThat(world.withdraw(entries.get(2))).isEqualTo("done");
      assertThat(world.stores.entries().remove(DrawWorld.ID, 5, "excluded", "duplicate", "test"))
          .isEqualTo(Removal.DONE);
      expect(world, Verdict.Stage.ANNOUNCED);
      world.decide();
      expect(world, Verdict.Stage.DRAWN);
      List<Entry> order =
          ranked(world, entries).stream()
              .filter(entry -> entry.index() != 2 && entry.index() != 5)
              .toList();
      assertThat(world.buy(order.get(3), 1)).isEqualTo("UNKNOWN");
      assertThat(world.buy(order.get(1), 1)).startsWith("RESERVED");
      assertThat(world.buy(order.get(0), 1)).startsWith("RESERVED");
      assertThat(world.sale.scripts().leave(DrawWorld.buyer(order.get(2))).await().text())
          .startsWith("LEFT");
      world.run();
      assertThat(world.draw().state()).isEqualTo(Draw.State.ALLOCATING);
      assertThat(world.buy(order.get(3), 1)).startsWith("RESERVED");
      assertThat(world.buy(order.get(4), 1)).isEqualTo("UNKNOWN");
      world.run();
      expect(world, Verdict.Stage.ENDED);
      assertThat(report(world)).isEqualTo(new AllocationReport(3, 0, 2, 1, 0));
      assertThat(world.draw().state()).isEqualTo(Draw.State.ENDED);
    }
  }

  @Test
  void withFewerEntriesThanUnitsEverybodyWins() {
    try (DrawWorld world = DrawWorld.open(5, ", \"holdbacks\": {\"artist\": 2}")) {
      List<Entry> entries = enter(world, 2);
      world.decide();
      assertThat(DrawJson.full(world.draw(), world.clock.instant()).toString())
          .contains("\"everybody_wins\":true");
      entries.forEach(entry -> assertThat(world.buy(entry, 1)).startsWith("RESERVED"));
      world.run();
      expect(world, Verdict.Stage.ENDED);
      assertThat(report(world)).isEqualTo(new AllocationReport(7, 2, 2, 0, 3));
    }
  }

  @Test
  void aDrawWithoutEntriesEnds() {
    try (DrawWorld world = DrawWorld.open(5, "")) {
      world.decide();
      expect(world, Verdict.Stage.ENDED);
      assertThat(report(world)).isEqualTo(new AllocationReport(5, 0, 0, 0, 5));
    }
  }

  @Test
  void entriesOfSeveralUnitsPassOnWhatTheyDoNotBuy() {
    try (DrawWorld world = DrawWorld.open(4, ", \"max_quantity\": 3, \"fit\": \"skip\"")) {
      List<Entry> entries = new ArrayList<>();
      for (int i = 0; i < 6; i++) {
        entries.add(world.entered(i, 1 + i % 3));
      }
      world.decide();
      for (int pass = 0; pass < 8 && world.draw().state() != Draw.State.ENDED; pass++) {
        entries.forEach(entry -> assertThat(world.buy(entry, 1)).isNotEmpty());
        world.run();
      }
      expect(world, Verdict.Stage.ENDED);
      assertThat(report(world).addsUp()).isTrue();
      assertThat(report(world).issued() + report(world).passed()).isLessThanOrEqualTo(4);
    }
  }

  @Test
  void aPersonHasOneEntryAndNobodyEntersOutsideTheWindow() {
    try (DrawWorld world = DrawWorld.announced(5, "")) {
      assertThat(world.enter(1, 1)).isInstanceOf(DrawEntries.Outcome.Refused.class);
      world.run();
      world.clock.set(world.draw().rules().open().orElseThrow());
      world.run();
      Entry first = world.entered(1, 1);
      assertThat(world.entered(1, 1)).isEqualTo(first);
      assertThat(world.entered(2, 1).index()).isEqualTo(1);
      world.clock.set(world.draw().rules().close());
      assertThat(world.enter(3, 1)).isInstanceOf(DrawEntries.Outcome.Refused.class);
      world.run();
      assertThat(world.enter(3, 1)).isInstanceOf(DrawEntries.Outcome.Refused.class);
      assertThat(world.withdraw(first)).isNotEqualTo("done");
      assertThat(world.draw().seal().orElseThrow().head().size()).isEqualTo(2);
    }
  }

  @Test
  void aReceiptLeadsToItsEntryAndProvesThatItWasDropped() {
    byte[] receipt;
    try (DrawWorld world = DrawWorld.open(1, "")) {
      enter(world, 3);
      Entry mine = world.entered(7, 1);
      receipt = world.receipt(mine);
      enter(world, 5);
      world.decide();
      Verdict verdict = world.verify(receipt);
      assertThat(verdict.code()).as(verdict.detail()).isEqualTo(VerdictCode.OK);
      assertThat(verdict.mine())
          .singleElement()
          .satisfies(it -> assertThat(it.index()).isEqualTo(3));
    }
    // The operator runs the draw again, with the same keys and without that entry.
    try (DrawWorld world = DrawWorld.open(1, "")) {
      enter(world, 6);
      world.decide();
      expect(world, Verdict.Stage.DRAWN);
      assertThat(world.verify(receipt).code()).isEqualTo(VerdictCode.DROPPED_ENTRY);
    }
  }

  @Test
  void aBeaconFromAnybodyDecidesOnceAndAWrongOneNever() {
    try (DrawWorld world = DrawWorld.open(1, "")) {
      enter(world, 3);
      world.drand.silent(true);
      world.decide();
      Draw draw = world.draw();
      assertThat(draw.state()).isEqualTo(Draw.State.SEALED);
      byte[] right = HexFormat.of().parseHex(world.drand.signature(draw.round()));
      byte[] wrong = HexFormat.of().parseHex(world.drand.signature(draw.round() + 1));
      assertThat(draw.chain().verifies(draw.round(), wrong)).isFalse();
      assertThat(world.keepBeacon(draw, right)).isTrue();
      assertThat(world.keepBeacon(draw, right)).isFalse();
      world.run();
      expect(world, Verdict.Stage.DRAWN);
    }
  }

  @Test
  void aDrawThatWaitsForALateRoundSaysSinceWhenAndIsInTheLogOnceAMinute() {
    Logger logger = (Logger) LoggerFactory.getLogger(DrawCourse.class);
    ListAppender<ILoggingEvent> log = new ListAppender<>();
    log.start();
    logger.addAppender(log);
    try (DrawWorld world = DrawWorld.open(1, "");
        BeaconSources none = new BeaconSources(List.of())) {
      enter(world, 1);
      world.drand.silent(true);
      world.decide();
      DrawCourse course = world.course();
      long due = world.draw().decidesAt();
      assertThat(world.draw().lateSince(due + 10)).isEmpty();
      // At its time, while it is late, and while a fallback round is still to come.
      for (long late : List.of(0L, 10L, 11L, 70L, 71L, 1_800L, 1_801L)) {
        world.clock.set(due + late);
        course.run(DrawWorld.ID, none.rounds());
      }
      assertThat(world.draw().round()).isGreaterThan(world.draw().rules().beacon().round());
      assertThat(world.draw().lateSince(due + 1_801)).hasValue(due);
      assertThat(DrawJson.full(world.draw(), world.clock.instant()).toString())
          .contains("\"late_since\":\"" + Instant.ofEpochSecond(due));
    } finally {
      logger.detachAppender(log);
    }
    assertThat(log.list.stream().map(ILoggingEvent::getFormattedMessage))
        .filteredOn(
            line -> line.startsWith("A draw waits for its beacon round; draw=" + DrawWorld.ID))
        .satisfiesExactly(
            line -> assertThat(line).endsWith("waiting_for=11 s"),
            line -> assertThat(line).endsWith("waiting_for=71 s"),
            line -> assertThat(line).endsWith("waiting_for=1800 s"));
  }

  /// No draw is announced meanwhile: the free units are not certain.
  @Test
  void anOfferOfTheWaitingListMayStillGetAPlace() {
    try (DrawWorld world = DrawWorld.announced(1, "")) {
      assertThat(world.stores.offers().isSeating(world.sale.product())).isFalse();
      assertThat(
              world.books.query(
                  """
                  INSERT INTO standby_entries
                    (id, product_id, device, user_id, session_id, networks, quantity, state, offer)
                  VALUES ('stb_1', $1, 'd', 'd', 's', '{}', 1, 'offering', 'o') RETURNING 1
                  """,
                  world.sale.product().value()))
          .hasSize(1);
      assertThat(world.stores.offers().isSeating(world.sale.product())).isTrue();
    }
  }

  @Test
  void aFallbackRoundDecidesWhenTheBeaconIsSilent() {
    try (DrawWorld world = DrawWorld.open(1, "")) {
      enter(world, 3);
      world.drand.silent(true);
      world.decide();
      Draw draw = world.draw();
      long named = draw.round();
      world.clock.set(draw.chain().timeOf(named) + 1_800);
      world.run();
      long fallback = world.draw().round();
      assertThat(fallback).isEqualTo(draw.rules().fallbackRounds().getFirst());
      // The recorded rounds of the test chain end before it.
      assertThat(world.keepBeacon(draw, new byte[48])).isFalse();
      assertThat(world.draw().state()).isEqualTo(Draw.State.SEALED);
    }
  }

  @Test
  void theSecondBeaconDecidesWhenAllRoundsOfTheFirstAreGivenUp() {
    try (DrawWorld world = DrawWorld.open(1, "")) {
      enter(world, 3);
      world.drand.silent(true);
      world.decide();
      Draw draw = world.draw();
      List<Long> rounds = new ArrayList<>(draw.rules().fallbackRounds());
      rounds.addFirst(draw.round());
      for (long round : rounds) {
        assertThat(world.draw().round()).isEqualTo(round);
        assertThat(world.draw().isSecond()).isFalse();
        world.clock.set(draw.chain().timeOf(round) + 1_800);
        world.run();
      }
      Draw late = world.draw();
      assertThat(late.isSecond()).isTrue();
      assertThat(late.beaconRound()).isEqualTo(draw.rules().secondBeacon().orElseThrow());
      assertThat(late.decidesAt()).isGreaterThan(world.clock.millis() / 1000);
      // The round of the first chain comes too late now.
      byte[] first = HexFormat.of().parseHex(world.drand.signature(draw.round()));
      assertThat(world.keepBeacon(draw, first)).isFalse();
      world.clock.set(late.decidesAt());
      world.run();
      expect(world, Verdict.Stage.DRAWN);
      assertThat(world.verify().findings().stream().map(Verdict.Finding::key))
          .contains("second_beacon");
    }
  }

  @Test
  void theOrderIsTheOneThatFollowsFromThePublicRecord() {
    try (DrawWorld world = DrawWorld.open(1, "")) {
      List<Entry> entries = enter(world, 20);
      world.decide();
      byte[] leaves = world.stores.results().part(DrawWorld.ID, 0);
      assertThat(leaves).hasSize(20 * DrawOrder.RESULT_LEAF);
      List<Entry> order = ranked(world, entries);
      for (int rank = 0; rank < 20; rank++) {
        assertThat(world.stores.results().leavesFrom(DrawWorld.ID, rank).getFirst())
            .isEqualTo(order.get(rank).leaf());
      }
    }
  }

  /// Else a draw could be thrown again until somebody likes its result.
  @Test
  void aDrawIsNotAbortedOnceItsRandomNumberMayBeKnown() {
    try (DrawWorld world = DrawWorld.open(1, "")) {
      enter(world, 1);
      PostgresDraws draws = world.stores.draws();
      // Due by the time of PostgreSQL, in whatever state the draw is.
      assertThat(draws.abort(DrawWorld.ID, "mistake", Instant.EPOCH)).isFalse();
      world.decide();
      assertThat(world.draw().state()).isEqualTo(Draw.State.ALLOCATING);
      assertThat(draws.abort(DrawWorld.ID, "mistake", Instant.now().plusSeconds(86_400))).isFalse();
      assertThat(draws.fail(DrawWorld.ID, "no_quorum")).isFalse();
      assertThatThrownBy(
              () ->
                  world.books.query(
                      "UPDATE draws SET state = 'aborted', abort_reason = 'mistake' RETURNING 1"))
          .hasMessageContaining("draws go forward only");
      expect(world, Verdict.Stage.DRAWN);
    }
  }

  @Test
  void aDrawWhoseBeaconsAreAllSilentFailsAfterAWeek() {
    try (DrawWorld world = DrawWorld.open(1, "")) {
      enter(world, 1);
      world.drand.silent(true);
      world.second.silent(true);
      world.decide();
      for (long _ : world.draw().rules().fallbackRounds()) {
        world.clock.set(world.draw().decidesAt() + 1_800);
        world.run();
      }
      world.clock.set(world.draw().decidesAt() + 1_800);
      world.run();
      assertThat(world.draw().isSecond()).isTrue();
      world.clock.set(world.draw().decidesAt() + 7 * 86_400 - 1);
      world.run();
      assertThat(world.draw().state()).isEqualTo(Draw.State.SEALED);
      world.clock.set(world.draw().decidesAt() + 7 * 86_400);
      world.run();
      assertThat(world.draw().abortReason()).contains("no_beacon");
    }
  }

  @Test
  void aDrawThatCannotBeReadHidesOnlyItself() {
    try (DrawWorld world = DrawWorld.open(1, "")) {
      String insert =
          """
          INSERT INTO draws (id, product_id, rules, chain, state, round, created_by, abort_reason)
          SELECT 'broken', product_id, '{}', chain, 'aborted', round, 'test', 'test' FROM draws
          """;
      int _ = world.books.database().tx(db -> db.update(insert));
      assertThat(new PostgresDraws(world.books.database()).all().await())
          .extracting(Draw::id)
          .containsExactly(DrawWorld.ID);
    }
  }
}
