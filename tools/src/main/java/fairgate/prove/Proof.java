package fairgate.prove;

import fairgate.crowd.proof.CallType;
import fairgate.crowd.proof.Gateway;
import fairgate.crowd.proof.Journal;
import fairgate.crowd.proof.NodePorts;
import fairgate.crowd.proof.ProofCrowd;
import fairgate.crowd.proof.SaleTerms;
import fairgate.prove.check.Checker;
import fairgate.prove.check.DrawCheck;
import fairgate.prove.check.DrawnRoomCheck;
import fairgate.prove.check.Evidence;
import fairgate.prove.check.InvariantResults;
import fairgate.prove.check.PastRoomCheck;
import fairgate.prove.check.RoomCheck;
import fairgate.prove.check.RoomWatch;
import fairgate.prove.check.Watch;
import fairgate.prove.draw.DrawCrowd;
import fairgate.prove.draw.DrawTrial;
import fairgate.prove.environment.Node;
import fairgate.prove.environment.ProofEnvironment;
import fairgate.prove.environment.Waiting;
import fairgate.prove.fault.Fault;
import fairgate.prove.fault.FaultContext;
import fairgate.prove.report.ProofResult;
import fairgate.prove.room.DrawnRoom;
import fairgate.prove.room.RoomCrowd;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.function.Consumer;

/// Runs sales, injects faults meanwhile, lets everything come to rest, and compares.
public final class Proof {
  private static final Duration LEAVING = Duration.ofSeconds(10);
  private static final int LEAVING_PART = 4;

  /// Longer than the pause before the next step of any work: a refund without a known outcome, or
  /// one that Redis has lost, waits for up to about two minutes after the sales of a short run.
  private static final Duration STUCK = Duration.ofMinutes(5);

  private static final Duration REST = Duration.ofMinutes(10);

  /// The recorded rounds of the beacon last for fifty minutes.
  private static final Duration MAX_DRAW_WINDOW = Duration.ofMinutes(2);

  /// The setting `draws.room_seconds` of the servers, without the fraction of a second of the seal.
  private static final int DRAWN_ROOM_MARGIN_S = 4;

  private static final Duration SECOND_DRAW_WINDOW = Duration.ofSeconds(5);

  /// A ledger that is fed again needs seconds.
  private static final Duration GOING_ON = Duration.ofMinutes(3);

  private static final long LOOK_MS = 200;
  private static final int LAST_BUYER_TRIES = 3;
  private static final long NEXT_SALE_MS = 5_000;

  /// Sales between two waiting rooms.
  private static final int SALES_A_ROOM = 2;

  private static final long FIRST_FAULT_MS = 1_500;
  private static final int FAULT_PAUSE_MS = 800;

  /// What a busy machine needs to sell again after a fault that met no call.
  private static final Duration SELLS_AGAIN = Duration.ofSeconds(20);

  private final ProofPlan plan;
  private final ProofEnvironment stage;
  private final Participants participants;
  private final Consumer<Progress> show;
  private final InvariantResults tally = new InvariantResults();
  private final Sales sales;
  private final FaultInjector faults;
  private final List<String> reasons = Collections.synchronizedList(new ArrayList<>());
  private final long begun = System.nanoTime();
  private final DrawnRoom drawnRoom;

  /// The participants besides the servers.
  public record Participants(
      Gateway gateway,
      ProofCrowd crowd,
      RoomCrowd rooms,
      DrawCrowd draws,
      Journal journal,
      Clock clock) {}

  /// How far it has come.
  ///
  /// @param seconds of `of`; the rest is draining and checking
  public record Progress(
      String phase, long seconds, long of, int sales, int accepted, int faults) {}

  /// @param stage with its nodes up
  public Proof(
      ProofPlan plan, ProofEnvironment stage, Participants participants, Consumer<Progress> show) {
    this.plan = plan;
    this.stage = stage;
    this.participants = participants;
    this.show = show;
    this.sales =
        new Sales(
            participants.crowd(),
            participants.clock(),
            new Random(plan.seed()),
            Sales.Retry.THROUGH_FAULTS);
    this.drawnRoom = new DrawnRoom(participants.rooms(), "drawn", participants.clock());
    Random chance = new Random(plan.seed() ^ 0x5DEECE66DL);
    FaultContext.People people =
        new FaultContext.People(
            participants.crowd(), participants.journal(), participants.gateway());
    FaultContext site =
        new FaultContext(stage, people, this::latest, chance, plan.isLong(), GOING_ON);
    this.faults =
        new FaultInjector(
            plan.faults(),
            fault -> strike(fault, site),
            chance,
            FaultInjector.DRIVE_LIMIT,
            reasons::add);
  }

  /// The doors of a stage's nodes.
  public static NodePorts doors(ProofEnvironment stage) {
    return new NodePorts(stage.nodes().stream().map(Node::port).toList());
  }

  /// Runs the proof and returns after all comparisons.
  ///
  /// @param command a command that repeats the run, for the report
  public ProofResult run(String command) {
    Evidence living = evidence(List.of());
    RoomCrowd rooms = participants.rooms();
    boolean atRest;
    try (Watch watch = new Watch(stage.engines(), living, sales::products, tally);
        RoomWatch roomWatch = new RoomWatch(stage.engines(), rooms::trials, tally)) {
      play();
      atRest = drain(watch);
      if (atRest) {
        guarded("waiting lists", () -> checkWaitingLists(watch));
      }
      new RoomCheck(stage.runLog(), roomWatch, tally).check(rooms.trials());
    }
    Evidence evidence = evidence(sales.products());
    Checker checker = new Checker(stage.engines(), evidence, tally);
    if (atRest) {
      try {
        checker.check();
        checkDraws();
        checkDrawnRoom();
      } catch (SQLException | IOException | RuntimeException e) {
        reasons.add("The ledger could not be compared: " + e);
      }
    }
    return new Summary(plan, evidence, begun).result(command, hits(checker), tally, reasons);
  }

  private void checkWaitingLists(Watch watch) {
    try {
      watch.checkWaitingLists();
    } catch (SQLException e) {
      throw new IllegalStateException(e);
    }
  }

  private void checkDraws() throws SQLException {
    try (Connection sql = stage.engines().sql()) {
      for (DrawTrial trial : participants.draws().trials()) {
        boolean isCertain = stage.runLog().losses(trial.product()).isEmpty();
        new DrawCheck(sql, trial, tally).check(isCertain);
      }
    }
  }

  private void checkDrawnRoom() throws SQLException {
    boolean isDrawn = Waiting.holds(STUCK, () -> drawnRoom.head().has("drawn"));
    boolean isCertain = stage.runLog().losses(drawnRoom.room()).isEmpty();
    if (!isDrawn && isCertain) {
      reasons.add("The order of a room was not drawn (%s)".formatted(FaultInjector.load()));
    }
    List<DrawnRoom.Told> told = isDrawn ? drawnRoom.enter() : List.of();
    drawnRoom.close();
    try (Connection sql = stage.engines().sql()) {
      new DrawnRoomCheck(sql, drawnRoom.room(), DrawCrowd.LOG_NAME + "/log", tally)
          .check(drawnRoom.head(), told, DRAWN_ROOM_MARGIN_S, isCertain);
    }
  }

  private Map<String, Integer> hits(Checker checker) {
    Map<String, Integer> all = new LinkedHashMap<>();
    faults.hits().forEach((fault, times) -> all.put(fault.title(), times));
    if (stage.engines().broker().isPresent()) {
      all.put("entries that Kafka was given twice", checker.twice());
    }
    return all;
  }

  private Evidence evidence(List<String> products) {
    return new Evidence(products, participants.journal(), participants.gateway(), stage.runLog());
  }

  private boolean timeLeft() {
    return System.nanoTime() - begun < plan.length().toNanos() && !participants.journal().full();
  }

  private boolean on() {
    return timeLeft() || (!faults.driven() && !participants.journal().full());
  }

  private void play() {
    long shown = -1;
    guarded("announced sale", () -> opened(sales.announce()));
    guarded("hall", () -> opened(participants.rooms().openHall(plan.seed())));
    guarded("draw", () -> opened(participants.draws().open(drawWindow(), plan.seed())));
    guarded(
        "drawn room",
        () -> opened(drawnRoom.open(participants.clock().instant().plus(drawWindow()))));
    Thread injecting =
        Thread.ofVirtual()
            .name("faults")
            .start(
                () -> {
                  Waiting.rest(FIRST_FAULT_MS);
                  guarded("faults", () -> faults.run(this::timeLeft));
                });
    long next = 0;
    while (on()) {
      if (System.nanoTime() - begun >= next) {
        next += NEXT_SALE_MS * 1_000_000;
        guarded("sales", () -> opened(sales.next()));
        guarded("rooms", this::nextRoom);
      }
      long second = (System.nanoTime() - begun) / 1_000_000_000;
      if (second > shown) {
        shown = second;
        progress(timeLeft() ? "selling" : "selling until each fault happens");
      }
      Waiting.rest(100);
    }
    try {
      injecting.join();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private Duration drawWindow() {
    Duration half = plan.length().dividedBy(2);
    return half.compareTo(MAX_DRAW_WINDOW) < 0 ? half.plusSeconds(1) : MAX_DRAW_WINDOW;
  }

  private void nextRoom() {
    int number = sales.all().size();
    if (number % SALES_A_ROOM == 0) {
      participants.rooms().removeFinished();
      opened(participants.rooms().open("room-" + number, plan.seed() + number));
    }
  }

  private void opened(boolean answered) {
    if (!answered) {
      reasons.add("No server answered the operator, who wanted to open a sale or a room.");
    }
  }

  private void guarded(String what, Runnable step) {
    try {
      step.run();
    } catch (RuntimeException e) {
      reasons.add("The proof itself failed (" + what + "): " + e);
    }
  }

  private List<String> latest() {
    List<String> all = sales.on();
    return all.subList(Math.max(0, all.size() - 2), all.size());
  }

  private boolean strike(Fault fault, FaultContext site) throws IOException, SQLException {
    stage.runLog().tell(fault.word(), fault.title());
    boolean hit = false;
    try {
      hit = fault.strike(site);
    } finally {
      stage.runLog().tell("", fault.word() + (hit ? ": all up again" : " missed"));
    }
    Waiting.rest(site.about(FAULT_PAUSE_MS));
    if (!hit && !faults.driven()) {
      awaitBuyers(System.nanoTime());
    }
    return hit;
  }

  /// Strikes one after the other would let nobody in, and so none of them would meet a buyer.
  private void awaitBuyers(long since) {
    boolean _ =
        Waiting.holds(
            SELLS_AGAIN,
            () ->
                participants.journal().stream()
                    .anyMatch(
                        call ->
                            call.act() == CallType.JOIN
                                && call.sent() > since
                                && call.answer().ok()));
  }

  private void progress(String phase) {
    show.accept(
        new Progress(
            phase,
            Math.min(plan.length().toSeconds(), (System.nanoTime() - begun) / 1_000_000_000),
            plan.length().toSeconds(),
            sales.all().size(),
            participants.journal().accepted(),
            faults.hits().values().stream().mapToInt(Integer::intValue).sum()));
  }

  /// Brings all nodes up, stops sending buyers, and waits until pending work is done. False if too
  /// much is still in progress for a comparison.
  private boolean drain(Watch watch) {
    progress("draining");
    guarded("nodes", stage::allUp);
    guarded("hall", () -> opened(participants.rooms().admitAll()));
    Duration part = plan.length().dividedBy(LEAVING_PART);
    Duration patience = part.compareTo(LEAVING) < 0 ? part : LEAVING;
    if (!Waiting.holds(patience, () -> participants.crowd().inside() == 0)) {
      participants.crowd().goHome();
    }
    hearPayments();
    boolean atRest = rest();
    progress("checking that it still sells");
    Checker checker = new Checker(stage.engines(), evidence(sales.products()), tally);
    guarded("last buyers", () -> lastBuyers(checker));
    atRest = rest() && atRest;
    emptyRooms();
    guarded("a room of the past", this::judgePastRoom);
    endDraws();
    // What the winners of the draw have bought since.
    atRest = rest() && atRest;
    progress("comparing");
    guarded("watch", watch::close);
    return atRest;
  }

  /// Waits until every visitor of a waiting room has been inside or has left.
  private void emptyRooms() {
    RoomCrowd rooms = participants.rooms();
    if (!Waiting.holds(STUCK, () -> rooms.inside() == 0)) {
      reasons.add(
          "%d visitors still wait in rooms (%s)%s"
              .formatted(rooms.inside(), FaultInjector.load(), rooms.unfinished()));
    }
    rooms.goHome();
    boolean _ = Waiting.holds(LEAVING, () -> rooms.inside() == 0);
  }

  private void judgePastRoom() {
    try {
      opened(new PastRoomCheck(stage.engines(), participants.rooms(), tally).check("past"));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /// Waits until the draw has its report. If a fault lasted longer than the time for its seal, the
  /// draw was aborted, and another one takes its course without faults.
  private void endDraws() {
    DrawCrowd draws = participants.draws();
    awaitReport(draws);
    if (draws.trials().stream().anyMatch(draws::isAborted)) {
      guarded("draw", () -> opened(draws.open(SECOND_DRAW_WINDOW, plan.seed() + 1)));
      awaitReport(draws);
    }
    draws.goHome();
    boolean _ = Waiting.holds(LEAVING, () -> draws.inside() == 0);
  }

  private void awaitReport(DrawCrowd draws) {
    if (!Waiting.holds(STUCK, () -> draws.trials().stream().allMatch(draws::isOver))) {
      reasons.add("The draw did not end (%s)".formatted(FaultInjector.load()));
    }
  }

  /// As [Rest#await].
  private boolean rest() {
    List<String> products = new ArrayList<>(sales.products());
    participants.draws().trials().stream()
        .map(DrawTrial::product)
        .distinct()
        .forEach(products::add);
    Checker checker = new Checker(stage.engines(), evidence(products), tally);
    return new Rest(STUCK, REST, LOOK_MS, reasons::add).await(checker::unfinishedWork);
  }

  /// Waits until the servers have received every payment, as long as they receive any. Servers that
  /// run refused the rest, and the comparison shows it.
  private void hearPayments() {
    int before = -1;
    long moved = System.nanoTime();
    for (int busy = participants.gateway().busy(); busy > 0; busy = participants.gateway().busy()) {
      if (busy != before) {
        before = busy;
        moved = System.nanoTime();
      } else if (System.nanoTime() - moved > STUCK.toNanos()) {
        reasons.add(
            "No server took the messages of %d payments (%s)"
                .formatted(busy, FaultInjector.load()));
        participants.gateway().giveUp();
        return;
      }
      Waiting.rest(LOOK_MS);
    }
  }

  /// Where there are units and a sale is on, the next buyer gets one.
  private void lastBuyers(Checker checker) {
    if (!sales.all().isEmpty()
        && sales.all().stream().noneMatch(one -> checker.sells(one.product(), one.max()))) {
      sales.refill();
    }
    for (SaleTerms terms : sales.all()) {
      lastBuyer(checker, terms);
    }
    hearPayments();
  }

  /// One try waits a minute, which is not enough for every machine.
  private void lastBuyer(Checker checker, SaleTerms terms) {
    for (int i = 1; i <= LAST_BUYER_TRIES; i++) {
      if (!checker.sells(terms.product(), terms.max())) {
        return;
      }
      boolean bought = participants.crowd().buys(terms, plan.seed() + i);
      if (bought || i == LAST_BUYER_TRIES) {
        checker.recordPurchase(terms.product(), bought);
        return;
      }
    }
  }
}
