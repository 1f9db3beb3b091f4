package fairgate.prove.fault;

import fairgate.crowd.proof.ProofCrowd;
import fairgate.prove.stage.Chronicle;
import fairgate.prove.stage.Engines;
import fairgate.prove.stage.Master;
import fairgate.prove.stage.Node;
import fairgate.prove.stage.Stage;
import java.util.List;
import java.util.function.Supplier;
import java.util.random.RandomGenerator;
import java.util.stream.IntStream;

/// Where a fault strikes.
///
/// @param crowd makes the operator's calls
/// @param products the sales that are on
/// @param chance of the seed
/// @param longRun whether there is time for outages of a minute
public record Site(
    Stage stage,
    ProofCrowd crowd,
    Supplier<List<String>> products,
    RandomGenerator chance,
    boolean longRun) {

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

  /// Notes that a Redis was dead for sure since then.
  void outage(Master master, long from) {
    chronicle().outage(from, System.nanoTime(), engines().salesOf(master));
  }

  Chronicle chronicle() {
    return stage.chronicle();
  }

  /// Some milliseconds, from half of it to all of it.
  public long about(long millis) {
    return millis / 2 + chance.nextLong(millis / 2 + 1);
  }
}
