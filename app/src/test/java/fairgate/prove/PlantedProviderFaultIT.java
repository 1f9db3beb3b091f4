package fairgate.prove;

import static org.assertj.core.api.Assertions.assertThat;

import fairgate.prove.check.Invariant;
import fairgate.prove.check.InvariantResults;
import fairgate.prove.environment.Resp;
import fairgate.prove.fault.Fault;
import java.nio.file.Path;
import java.util.Optional;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// The checker can fail where payment deadlines go on while the payment provider fails.
@Tag("proof")
class PlantedProviderFaultIT {
  private static final String SALE = "994";
  private static final String POLICY =
      """
      {"preset": "flash", "places_per_ip": null, "places_per_network": null,
       "units_per_ip": null, "active_capacity": 8, "admit_per_second": 3, "max_quantity": 2,
       "max_per_user": 3, "max_per_device": 3, "purchase_window_seconds": 2,
       "presence_timeout_seconds": 3, "token_ttl_seconds": 2, "payment_window_seconds": 4,
       "unpaid_cooldown_seconds": 1}
      """;

  @TempDir
  @SuppressWarnings("NullAway.Init")
  private Path folder;

  @Test
  void deadlinesThatGoOnAreFound() throws Exception {
    try (Rig rig = new Rig(folder, Optional.empty(), 1)) {
      PlantingTap tap = new PlantingTap();
      try (Resp redis = rig.engines().masters().getFirst().open()) {
        tap.plant(redis, "fairgate/sale/payment/due.lua", "if STOP_MS > 0 then", "if false then");
      }
      rig.node().redis().tap(tap);
      try (Rig.Run run = rig.new Run(SALE, POLICY, true)) {
        InvariantResults tally =
            run.judge(Invariant.I44, Fault.PROVIDER_DOWN, InvariantResults.InvariantResult::broken);
        assertThat(PlantedFaultsIT.broken(tally)).containsExactly(Invariant.I44);
      }
    }
  }

  @Test
  void whereDeadlinesStandStillNothingIsFound() throws Exception {
    try (Rig rig = new Rig(folder, Optional.empty(), 2);
        Rig.Run run = rig.new Run(SALE, POLICY, true)) {
      InvariantResults tally =
          run.judge(Invariant.I44, Fault.PROVIDER_DOWN, InvariantResults.InvariantResult::facts);
      assertThat(PlantedFaultsIT.broken(tally)).as(tally.verdicts().toString()).isEmpty();
      assertThat(tally.verdicts())
          .hasEntrySatisfying(Invariant.I44, found -> assertThat(found.facts()).isPositive());
    }
  }
}
