package fairgate.prove;

import static org.assertj.core.api.Assertions.assertThat;

import fairgate.prove.check.Invariant;
import fairgate.prove.fault.Fault;
import fairgate.prove.fault.FaultContext;
import java.io.IOException;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// The checker can fail where a relay is held while Redis forgets what the relay carries.
@Tag("proof")
class PlantedRelayFaultIT {
  /// A busy machine needs more waves: the sale has to be rebuilt while the relay is held.
  private static final Duration PATIENCE = Duration.ofMinutes(5);

  /// More units than people want: those that arrive late find room in the ledger.
  private static final int ENOUGH = 100;

  /// Entries that arrive after a rebuild are taken into the ledger, and its count of them goes down
  /// instead of up: no server notices that the sale has to be counted anew.
  private static final String OVERLOOK_LATE_ENTRIES =
      """
      CREATE FUNCTION overlook_late_entries() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN
        IF NEW.epoch = OLD.epoch AND NEW.earlier > OLD.earlier THEN
          NEW.earlier := OLD.earlier - 1;
        ELSIF NEW.epoch < (SELECT opened FROM sale_epochs s WHERE s.product_id = NEW.product_id) THEN
          NEW.applied := OLD.applied - 1;
        END IF;
        RETURN NEW;
      END $$;
      CREATE TRIGGER overlook_late_entries BEFORE UPDATE ON outbox_positions FOR EACH ROW
        EXECUTE FUNCTION overlook_late_entries();
      """;

  @TempDir
  @SuppressWarnings("NullAway.Init")
  private Path folder;

  @Test
  void aRebuildThatOverlooksLateEntriesIsFound() throws Exception {
    try (Rig rig = new Rig(folder, Optional.empty(), 2)) {
      plant(rig);
      try (Rig.Run run = rig.new Run("992", Plant.NO_LIMIT.policy(), false)) {
        assertThat(found(run)).contains(Invariant.I1);
      }
    }
  }

  private static void plant(Rig rig) throws SQLException {
    try (Connection sql = rig.engines().sql();
        Statement statement = sql.createStatement()) {
      boolean _ = statement.execute(OVERLOOK_LATE_ENTRIES);
    }
  }

  /// Sends people and holds relays until the broken count shows. A relay is held with units that
  /// people bought; whether one of these is counted wrongly afterwards is chance.
  private static List<Invariant> found(Rig.Run run) throws IOException, SQLException {
    FaultContext site = run.site();
    List<Invariant> broken = List.of();
    long deadline = System.nanoTime() + PATIENCE.toNanos();
    for (int wave = 1; System.nanoTime() < deadline && !broken.contains(Invariant.I1); wave++) {
      run.again(wave, ENOUGH);
      if (Fault.RELAY_HELD.strike(site)) {
        broken = PlantedFaultsIT.broken(run.judgeWithUnfinishedWork());
      }
    }
    return broken;
  }
}
