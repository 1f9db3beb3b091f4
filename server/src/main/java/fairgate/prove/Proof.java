package fairgate.prove;

import fairgate.crowd.proof.Doors;
import fairgate.crowd.proof.Gateway;
import fairgate.crowd.proof.Journal;
import fairgate.crowd.proof.ProofCrowd;
import fairgate.crowd.proof.Terms;
import fairgate.prove.check.Checker;
import fairgate.prove.check.Evidence;
import fairgate.prove.check.Tally;
import fairgate.prove.check.Watch;
import fairgate.prove.fault.Fault;
import fairgate.prove.fault.Site;
import fairgate.prove.report.ProofResult;
import fairgate.prove.stage.Node;
import fairgate.prove.stage.Stage;
import fairgate.prove.stage.Waiting;
import java.io.IOException;
import java.sql.SQLException;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.function.Consumer;

/// Runs sales, harms the stage meanwhile, lets everything come to rest, and compares.
public final class Proof {
  private static final Duration GOING_HOME = Duration.ofSeconds(10);
  private static final int GOING_HOME_PART = 4;
  private static final Duration MONEY = Duration.ofSeconds(30);
  private static final Duration REST = Duration.ofSeconds(100);
  private static final long NEXT_SALE_MS = 5_000;

  private final ProofPlan plan;
  private final Stage stage;
  private final Cast cast;
  private final Consumer<Progress> show;
  private final Tally tally = new Tally();
  private final Sales sales;
  private final Map<Fault, Integer> hits = new EnumMap<>(Fault.class);
  private final List<String> notes = Collections.synchronizedList(new ArrayList<>());
  private final long begun = System.nanoTime();

  /// Who plays.
  public record Cast(Gateway gateway, ProofCrowd crowd, Journal journal, Clock clock) {}

  /// How far it has come.
  ///
  /// @param seconds of `of`; the rest is draining and checking
  public record Progress(
      String phase, long seconds, long of, int sales, int accepted, int faults) {}

  /// @param stage with its nodes up
  public Proof(ProofPlan plan, Stage stage, Cast cast, Consumer<Progress> show) {
    this.plan = plan;
    this.stage = stage;
    this.cast = cast;
    this.show = show;
    this.sales = new Sales(cast.crowd(), cast.clock(), new Random(plan.seed()));
  }

  /// The doors of a stage's nodes.
  public static Doors doors(Stage stage) {
    return new Doors(stage.nodes().stream().map(Node::port).toList());
  }

  /// Returns when everything was compared, with the facts but without the command.
  public ProofResult run(String command) {
    Evidence living = evidence(List.of());
    try (Watch watch = new Watch(stage.engines(), living, sales::products, tally)) {
      play();
      drain(watch);
    }
    Evidence evidence = evidence(sales.products());
    Checker checker = new Checker(stage.engines(), evidence, tally);
    try {
      checker.check();
    } catch (SQLException | IOException | RuntimeException e) {
      notes.add("The books could not be compared: " + e);
    }
    return new Summary(plan, evidence, begun).result(command, faults(checker), tally, notes);
  }

  private Map<String, Integer> faults(Checker checker) {
    Map<String, Integer> all = new LinkedHashMap<>();
    hits.forEach((fault, times) -> all.put(fault.title(), times));
    if (stage.engines().broker().isPresent()) {
      all.put("entries that Kafka was given twice", checker.twice());
    }
    return all;
  }

  private Evidence evidence(List<String> products) {
    return new Evidence(products, cast.journal(), cast.gateway(), stage.chronicle());
  }

  private boolean on() {
    return System.nanoTime() - begun < plan.length().toNanos() && !cast.journal().full();
  }

  private void play() {
    long shown = -1;
    Thread harm = Thread.ofVirtual().name("harm").start(this::harm);
    long next = 0;
    while (on()) {
      if (System.nanoTime() - begun >= next) {
        next += NEXT_SALE_MS * 1_000_000;
        guarded(
            "sales",
            () -> {
              if (!sales.next()) {
                notes.add("Nobody answered the operator, who wanted to open a sale.");
              }
            });
      }
      long second = (System.nanoTime() - begun) / 1_000_000_000;
      if (second > shown) {
        shown = second;
        progress("selling");
      }
      Waiting.rest(100);
    }
    try {
      harm.join();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private void guarded(String what, Runnable step) {
    try {
      step.run();
    } catch (RuntimeException e) {
      notes.add("The proof itself stumbled (" + what + "): " + e);
    }
  }

  /// All faults in an order of chance, again and again.
  private void harm() {
    Random chance = new Random(plan.seed() ^ 0x5DEECE66DL);
    Site site = new Site(stage, cast.crowd(), this::latest, chance, plan.isLong());
    List<Fault> faults = plan.faults();
    faults.forEach(fault -> hits.put(fault, 0));
    Waiting.rest(1_500);
    List<Fault> order = new ArrayList<>();
    while (on() && !faults.isEmpty()) {
      if (order.isEmpty()) {
        order.addAll(faults);
        Collections.shuffle(order, chance);
      }
      Fault fault = order.removeFirst();
      guarded(fault.word(), () -> strike(fault, site));
      Waiting.rest(site.about(800));
    }
  }

  private List<String> latest() {
    List<String> all = sales.products();
    return all.subList(Math.max(0, all.size() - 2), all.size());
  }

  private void strike(Fault fault, Site site) {
    stage.chronicle().tell(fault.word(), fault.title());
    try {
      boolean hit = fault.strike(site);
      if (hit) {
        hits.merge(fault, 1, Integer::sum);
      }
      stage.chronicle().tell("", fault.word() + (hit ? ": all up again" : " missed"));
    } catch (IOException | SQLException e) {
      throw new IllegalStateException(e);
    }
  }

  private void progress(String phase) {
    show.accept(
        new Progress(
            phase,
            Math.min(plan.length().toSeconds(), (System.nanoTime() - begun) / 1_000_000_000),
            plan.length().toSeconds(),
            sales.all().size(),
            cast.journal().accepted(),
            hits.values().stream().mapToInt(Integer::intValue).sum()));
  }

  /// All nodes up; nobody comes any more; what is under way comes to its end.
  private void drain(Watch watch) {
    progress("draining");
    guarded("nodes", stage::allUp);
    Duration part = plan.length().dividedBy(GOING_HOME_PART);
    Duration patience = part.compareTo(GOING_HOME) < 0 ? part : GOING_HOME;
    if (!Waiting.holds(patience, () -> cast.crowd().inside() == 0)) {
      cast.crowd().goHome();
    }
    if (!Waiting.holds(MONEY, () -> cast.gateway().busy() == 0)) {
      cast.gateway().giveUp();
    }
    rest();
    progress("looking whether it still sells");
    Checker checker = new Checker(stage.engines(), evidence(sales.products()), tally);
    guarded("last buyers", () -> lastBuyers(checker));
    rest();
    progress("comparing");
    guarded("watch", watch::close);
  }

  private void rest() {
    Checker checker = new Checker(stage.engines(), evidence(sales.products()), tally);
    if (!Waiting.holds(REST, checker::atRest)) {
      notes.add("Not everything came to rest: " + checker.restless());
    }
  }

  /// Where there are units and a sale is on, whoever comes now gets one.
  private void lastBuyers(Checker checker) {
    for (Terms terms : sales.all()) {
      if (checker.sells(terms.product(), terms.most())) {
        checker.letIn(terms.product(), cast.crowd().buys(terms, plan.seed()));
      }
    }
    boolean _ = Waiting.holds(MONEY, () -> cast.gateway().busy() == 0);
  }
}
