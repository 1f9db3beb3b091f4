package fairgate.gate.limit;

import static fairgate.gate.limit.LimitWorld.key;
import static org.assertj.core.api.Assertions.assertThat;

import fairgate.gate.limit.GiveBackScript.Row;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;

final class GiveBackScriptTest {
  private static final long SECOND = 1_000_000;

  private final LimitWorld world = new LimitWorld();
  private final GiveBackScript script = new GiveBackScript(LimitWorld.redis());
  private final String key = key();

  private long run(Row... rows) {
    return script.run(Arrays.asList(rows)).await();
  }

  @Test
  void aWindowLosesTheCallsOfOneRunAndNoOther() {
    long now = world.now();
    world.times(key, List.of(now - 9, now - 5, now - 5, now - 5, now - 1));
    assertThat(run(new Row.Window(key, now - 5, 2))).isEqualTo(1);
    assertThat(world.times(key)).containsExactly(now - 9, now - 5, now - 5, now - 1);
    assertThat(run(new Row.Window(key, now - 5, 0))).isEqualTo(1);
    assertThat(world.times(key)).containsExactly(now - 9, now - 1);
    assertThat(world.send("PTTL", key).number()).isPositive();
  }

  @Test
  void aRepeatForAWindowChangesNothing() {
    long now = world.now();
    world.times(key, List.of(now - 5, now - 5));
    assertThat(run(new Row.Window(key, now - 5, 1))).isEqualTo(1);
    assertThat(run(new Row.Window(key, now - 5, 1))).isZero();
    assertThat(world.times(key)).containsExactly(now - 5);
    assertThat(run(new Row.Window(key, now - 5, 0))).isEqualTo(1);
    assertThat(run(new Row.Window(key, now - 5, 0))).isZero();
    assertThat(world.send("EXISTS", key).number()).isZero();
  }

  @Test
  void aRateOwesOneCallLess() {
    long then = world.now() + 30 * SECOND;
    world.set(key, Long.toString(then));
    assertThat(run(new Row.Rate(key, then, 10 * SECOND, 1))).isEqualTo(1);
    assertThat(world.idleAt(key)).isEqualTo(then - 10 * SECOND);
  }

  @Test
  void aRateKeepsItsFraction() {
    long then = world.now() + 30 * SECOND;
    world.set(key, then + ":1");
    assertThat(run(new Row.Rate(key, then, 60 * SECOND, 7))).isEqualTo(1);
    // A call is 8 571 428 4/7 us.
    assertThat(world.send("GET", key).text()).isEqualTo(then - 8_571_429 + ":4");
  }

  @Test
  void aRateThatMayHaveBeenIdleSinceOwesWhatLaterCallsOwe() {
    long later = world.now() + 30 * SECOND;
    world.set(key, Long.toString(later));
    assertThat(run(new Row.Rate(key, world.now() - 1, 10 * SECOND, 1))).isZero();
    assertThat(world.idleAt(key)).isEqualTo(later);
  }

  @Test
  void nothingIsOwedLessThanNothing() {
    long then = world.now() + 30 * SECOND;
    world.set(key, Long.toString(then));
    assertThat(run(new Row.Rate(key, then, 60 * SECOND, 1))).isEqualTo(1);
    assertThat(world.send("EXISTS", key).number()).isZero();
    assertThat(run(new Row.Rate(key, then, 60 * SECOND, 1))).isZero();
  }

  @Test
  void aKeyOfAnotherTypeIsLeftAlone() {
    assertThat(world.send("RPUSH", key, "x").number()).isEqualTo(1);
    assertThat(world.send("EXPIRE", key, "60").number()).isEqualTo(1);
    assertThat(run(new Row.Window(key, 1, 0), new Row.Rate(key, 1, 1, 1))).isZero();
  }
}
