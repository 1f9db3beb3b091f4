package fairgate.queue;

import static org.assertj.core.api.Assertions.assertThat;

import fairgate.SaleWorld;
import fairgate.queue.QueueScripts.EndPauseScript;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

final class EndPauseScriptTest {
  private final SaleWorld world = SaleWorld.open(10, "capacity 2");
  private final EndPauseScript script = new EndPauseScript(world.redis());

  private long end(@Nullable String device, @Nullable String user) {
    return script.run(world.keys(), device, user).await();
  }

  private void pause(String key, long count) {
    world.sent("SET", key, "missed", "EX", "600");
    world.sent("SET", countKey(key), Long.toString(count), "EX", "600");
  }

  private static String countKey(String key) {
    return key.replaceFirst(":cooldown$", ":pauses");
  }

  private String count(String key) {
    return world.send("GET", countKey(key)).text();
  }

  private boolean isPaused(String key) {
    return world.send("EXISTS", key).number() == 1;
  }

  @Test
  void aPauseEndsAndTheNextOneIsNoLonger() {
    String device = world.keys().deviceCooldown("d1");
    String guest = world.keys().userCooldown("d1");
    String account = world.keys().userCooldown("acc_1");
    pause(device, 2);
    pause(guest, 1);
    pause(account, 3);
    assertThat(end("d1", "acc_1")).isEqualTo(3);
    for (String key : new String[] {device, guest, account}) {
      assertThat(isPaused(key)).isFalse();
      assertThat(world.send("TTL", countKey(key)).number()).isPositive();
    }
    assertThat(count(device)).isEqualTo("1");
    assertThat(count(guest)).isEqualTo("0");
    assertThat(count(account)).isEqualTo("2");
    assertThat(end("d1", "acc_1")).as("a repeat").isZero();
    assertThat(count(device)).isEqualTo("1");
  }

  @Test
  void othersStayPaused() {
    pause(world.keys().deviceCooldown("d2"), 1);
    pause(world.keys().userCooldown("acc_2"), 1);
    Map<String, String> before = world.dump();
    assertThat(end("d1", "acc_1")).isZero();
    assertThat(end(null, null)).isZero();
    assertThat(world.dump()).isEqualTo(before);
    assertThat(end(null, "acc_2")).isEqualTo(1);
    assertThat(isPaused(world.keys().deviceCooldown("d2"))).isTrue();
  }

  @Test
  void aPauseWithoutACountEndsAsWell() {
    world.sent("SET", world.keys().deviceCooldown("d3"), "unpaid", "EX", "600");
    assertThat(end("d3", null)).isEqualTo(1);
    assertThat(world.send("EXISTS", countKey(world.keys().deviceCooldown("d3"))).number()).isZero();
  }
}
