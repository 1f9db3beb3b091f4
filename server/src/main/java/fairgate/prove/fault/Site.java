package fairgate.prove.fault;

import fairgate.crowd.proof.ProofCrowd;
import fairgate.prove.stage.Chronicle;
import fairgate.prove.stage.Engines;
import fairgate.prove.stage.Node;
import fairgate.prove.stage.Stage;
import java.util.List;
import java.util.function.Supplier;
import java.util.random.RandomGenerator;

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

  Chronicle chronicle() {
    return stage.chronicle();
  }

  /// Some milliseconds, from half of it to all of it.
  public long about(long millis) {
    return millis / 2 + chance.nextLong(millis / 2 + 1);
  }
}
