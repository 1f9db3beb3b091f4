package fairgate.prove;

import static org.assertj.core.api.Assertions.assertThat;

import fairgate.platform.redis.LuaScript;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/// The planted faults follow the scripts: each replaces a text that the script contains.
class PlantTest {
  @ParameterizedTest
  @EnumSource
  void everyFaultChangesItsScript(Plant plant) {
    if (!plant.script().isEmpty() && plant != Plant.NONE) {
      String source = LuaScript.load(PlantTest.class, "/" + plant.script()).source();
      assertThat(plant.planted(source)).isNotEqualTo(source);
    }
  }

  @ParameterizedTest
  @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "NOTHING")
  void everyFaultOfRoomsChangesItsScript(RoomPlant plant) {
    String source = LuaScript.load(PlantTest.class, "/" + plant.script()).source();
    assertThat(plant.planted(source)).isNotEqualTo(source);
  }
}
