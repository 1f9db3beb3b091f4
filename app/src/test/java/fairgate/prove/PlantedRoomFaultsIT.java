package fairgate.prove;

import static org.assertj.core.api.Assertions.assertThat;

import fairgate.prove.check.Invariant;
import fairgate.prove.check.InvariantResults;
import fairgate.prove.environment.Resp;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeoutException;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/// The checker can fail: every fault that is planted into the scripts of waiting rooms is found,
/// and a room without one is not accused.
@Tag("proof")
class PlantedRoomFaultsIT {
  private static final Map<RoomPlant, InvariantResults> JUDGED = new ConcurrentHashMap<>();

  @TempDir
  @SuppressWarnings("NullAway.Init")
  private static Path folder;

  /// All rooms are open at the same time, each with its own fault.
  @BeforeAll
  static void plant() throws IOException, InterruptedException, TimeoutException {
    try (Rig rig = new Rig(folder)) {
      PlantingTap tap = new PlantingTap();
      try (Resp redis = rig.engines().masters().getFirst().open()) {
        // Else it is chance whether an old room has been deleted before it is created again.
        tap.plant(redis, "fairgate/room/delete_room.lua", "> EPOCH then", ">= 0 then");
        for (RoomPlant plant : RoomPlant.values()) {
          if (plant != RoomPlant.NOTHING) {
            tap.plant(redis, plant);
          }
        }
      }
      rig.node().redis().tap(tap);
      Map<RoomPlant, Rig.RoomRun> runs = new EnumMap<>(RoomPlant.class);
      for (RoomPlant plant : RoomPlant.values()) {
        runs.put(plant, rig.new RoomRun(plant.room()));
      }
      List<Thread> judges = new ArrayList<>();
      runs.forEach(
          (plant, run) ->
              judges.add(
                  Thread.startVirtualThread(
                      () -> {
                        try (run) {
                          JUDGED.put(plant, run.judge(plant == RoomPlant.NOTHING));
                        }
                      })));
      for (Thread judge : judges) {
        judge.join();
      }
    }
  }

  @ParameterizedTest
  @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "NOTHING")
  void aPlantedFaultIsFound(RoomPlant plant) {
    InvariantResults tally = JUDGED.getOrDefault(plant, new InvariantResults());
    assertThat(PlantedFaultsIT.broken(tally))
        .as(tally.verdicts().toString())
        .contains(plant.found());
  }

  @Test
  void whereNothingIsPlantedNothingIsFound() {
    InvariantResults tally = JUDGED.getOrDefault(RoomPlant.NOTHING, new InvariantResults());
    assertThat(PlantedFaultsIT.broken(tally)).as(tally.verdicts().toString()).isEmpty();
    for (Invariant invariant :
        List.of(
            Invariant.I24,
            Invariant.I25,
            Invariant.I26,
            Invariant.I27,
            Invariant.I28,
            Invariant.I29,
            Invariant.I31,
            Invariant.I39,
            Invariant.I41)) {
      assertThat(tally.verdicts())
          .hasEntrySatisfying(invariant, verdict -> assertThat(verdict.facts()).isPositive());
    }
  }
}
