package fairgate.prove;

import static org.assertj.core.api.Assertions.assertThat;

import fairgate.prove.check.Invariant;
import fairgate.prove.check.InvariantResults;
import fairgate.prove.environment.Resp;
import fairgate.prove.fault.Fault;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// The checker can fail where a sale cannot be served and its calls are counted all the same.
@Tag("proof")
class PlantedLimitFaultIT {
  private static final String SALE = "993";
  private static final InvariantResults.InvariantResult NONE =
      new InvariantResults.InvariantResult(0, 0, 0, List.of());

  @TempDir
  @SuppressWarnings("NullAway.Init")
  private Path folder;

  @Test
  void countsThatAreNotGivenBackAreFound() throws Exception {
    try (Rig rig = new Rig(folder, Optional.empty(), 1)) {
      PlantingTap tap = new PlantingTap();
      try (Resp redis = rig.engines().masters().getFirst().open()) {
        tap.plant(
            redis, "fairgate/gate/limit/give_back.lua", "for i = 1, #kind do", "for i = 1, 0 do");
      }
      rig.node().redis().tap(tap);
      try (Rig.Run run = rig.new Run(SALE, Plant.NO_LIMIT.policy(), false)) {
        boolean _ = Fault.REFUSED_CALLS.strike(run.site());
        assertThat(PlantedFaultsIT.broken(run.judge())).containsExactly(Invariant.I22);
      }
    }
  }

  @Test
  void whereCountsAreGivenBackNothingIsFound() throws Exception {
    try (Rig rig = new Rig(folder, Optional.empty(), 2);
        Rig.Run run = rig.new Run(SALE, Plant.NO_LIMIT.policy(), false)) {
      assertThat(Fault.REFUSED_CALLS.strike(run.site())).isTrue();
      InvariantResults tally = run.judge();
      assertThat(PlantedFaultsIT.broken(tally)).as(tally.verdicts().toString()).isEmpty();
      assertThat(tally.verdicts().getOrDefault(Invariant.I22, NONE).facts()).isPositive();
    }
  }
}
