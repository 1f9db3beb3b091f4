package fairgate.prove;

import static org.assertj.core.api.Assertions.assertThat;

import fairgate.prove.check.Invariant;
import fairgate.prove.environment.Engines;
import fairgate.prove.fault.Fault;
import fairgate.prove.fault.FaultContext;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// The checker can fail where a primary Redis dies: servers that do not wait for a replica lose
/// answered purchases.
@Tag("proof")
class PlantedReplicaFaultIT {
  /// A busy machine needs more waves: somebody has to buy in the moment before the death.
  private static final Duration PATIENCE = Duration.ofMinutes(4);

  private static final int ENOUGH = 100;

  @TempDir
  @SuppressWarnings("NullAway.Init")
  private Path folder;

  @Test
  void serversThatDoNotWaitForAReplicaAreFound() throws Exception {
    var choice = new Engines.Choice(false, true, Optional.empty(), 1);
    Map<String, String> careless = Map.of("FAIRGATE_REDIS_DURABILITY", "local");
    try (Rig rig = new Rig(folder, choice, careless);
        Rig.Run run = rig.new Run("993", Plant.NO_LIMIT.policy(), false)) {
      FaultContext site = run.site();
      List<Invariant> broken = List.of();
      long deadline = System.nanoTime() + PATIENCE.toNanos();
      for (int wave = 1; System.nanoTime() < deadline && !broken.contains(Invariant.I38); wave++) {
        run.again(wave, ENOUGH);
        boolean _ = Fault.FAILOVER.strike(site);
        broken = PlantedFaultsIT.broken(run.judgeWithUnfinishedWork());
      }
      assertThat(broken).contains(Invariant.I38);
    }
  }
}
