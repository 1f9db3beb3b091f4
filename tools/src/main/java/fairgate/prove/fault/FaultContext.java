package fairgate.prove.fault;

import fairgate.crowd.proof.CallType;
import fairgate.crowd.proof.Gateway;
import fairgate.crowd.proof.Journal;
import fairgate.crowd.proof.ProofCrowd;
import fairgate.prove.environment.Engines;
import fairgate.prove.environment.Master;
import fairgate.prove.environment.Node;
import fairgate.prove.environment.ProofEnvironment;
import fairgate.prove.environment.RunLog;
import fairgate.prove.environment.Waiting;
import java.time.Duration;
import java.util.List;
import java.util.function.Predicate;
import java.util.function.Supplier;
import java.util.random.RandomGenerator;
import java.util.stream.IntStream;

/// The servers, engines, sales and buyers that a fault acts on.
///
/// @param people buyers, the operator and the payment provider
/// @param products the open sales
/// @param chance random choices of the seed
/// @param longRun whether there is time for outages of a minute
/// @param patience how long a ledger may take to continue while all engines and servers run
public record FaultContext(
    ProofEnvironment stage,
    People people,
    Supplier<List<String>> products,
    RandomGenerator chance,
    boolean longRun,
    Duration patience) {

  private static final Duration PATIENCE = Duration.ofSeconds(10);
  private static final long LOOK_MS = 200;

  /// Buyers, the operator and the payment provider.
  ///
  /// @param crowd makes the operator's calls
  /// @param journal every reply anybody got
  /// @param gateway the payment provider
  public record People(ProofCrowd crowd, Journal journal, Gateway gateway) {}

  ProofCrowd crowd() {
    return people.crowd();
  }

  Node node() {
    return stage.any(chance);
  }

  Engines engines() {
    return stage.engines();
  }

  /// The Redis of one of the sales that are on.
  Master master() {
    List<String> on = products.get();
    List<Master> all = engines().masters();
    return on.isEmpty()
        ? all.get(chance.nextInt(all.size()))
        : engines().master(on.get(chance.nextInt(on.size())));
  }

  /// A name that a Redis has, were it a sale's.
  String product(Master master) {
    return IntStream.iterate(1, n -> n + 1)
        .mapToObj(Integer::toString)
        .filter(engines().salesOf(master))
        .findFirst()
        .orElseThrow();
  }

  /// Records that a Redis was certainly dead since then. Waits until a buyer has called one of its
  /// sales meanwhile, because an outage without a call shows nothing; returns whether one has.
  boolean outage(Master master, long from) {
    Predicate<String> sales = engines().salesOf(master);
    long deadline = System.nanoTime() + PATIENCE.toNanos();
    boolean met = met(sales, from);
    while (!met && System.nanoTime() < deadline) {
      Waiting.rest(LOOK_MS);
      met = met(sales, from);
    }
    runLog().outage(from, System.nanoTime(), sales);
    return met;
  }

  private boolean met(Predicate<String> sales, long from) {
    return people.journal().stream()
        .filter(call -> call.act() == CallType.PURCHASE || call.act() == CallType.JOIN)
        .anyMatch(call -> call.sent() > from && sales.test(call.sale()));
  }

  RunLog runLog() {
    return stage.runLog();
  }

  /// Some milliseconds, from half of it to all of it.
  public long about(long millis) {
    return millis / 2 + chance.nextLong(millis / 2 + 1);
  }
}
