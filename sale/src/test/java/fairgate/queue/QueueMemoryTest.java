package fairgate.queue;

import static org.assertj.core.api.Assertions.assertThat;

import fairgate.Buyer;
import fairgate.SaleScripts;
import fairgate.SaleWorld;
import fairgate.platform.redis.RedisReply;
import io.vertx.core.Future;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Isolated;

/// What one waiting session costs in Redis.
@Isolated
final class QueueMemoryTest {
  private static final int SESSIONS = 20_000;
  private static final int BYTES_EACH = 700;

  private static long usedMemory(SaleWorld world) {
    String info = world.send("INFO", "memory").text();
    for (String line : info.split("\r\n", -1)) {
      if (line.startsWith("used_memory:")) {
        return Long.parseLong(line.substring("used_memory:".length()));
      }
    }
    throw new AssertionError("no used_memory in " + info);
  }

  @Test
  void aWaitingSessionTakesAtMostSevenHundredBytes() {
    SaleWorld world = SaleWorld.open(1);
    assertThat(world.join(world.buyer())).hasSize(1);
    long before = usedMemory(world);
    List<Buyer> buyers = world.buyers(SESSIONS);
    for (int i = 0; i < SESSIONS; i += 500) {
      List<Future<RedisReply>> runs = new ArrayList<>();
      for (int j = i; j < i + 500; j += 125) {
        runs.add(
            world
                .scripts()
                .join(
                    buyers.subList(j, j + 125).stream()
                        .map(b -> new SaleScripts.Join(b, "", ""))
                        .toList()));
      }
      assertThat(Future.all(runs).await().size()).isEqualTo(4);
    }
    assertThat(world.send("ZCARD", world.keys().waiting()).number()).isEqualTo(SESSIONS + 1);
    long each = (usedMemory(world) - before) / SESSIONS;
    System.out.println("memory per waiting session: " + each + " bytes");
    assertThat(each).isLessThanOrEqualTo(BYTES_EACH);
    List<String> names = new ArrayList<>(world.names());
    for (int i = 0; i < names.size(); i += 1_000) {
      List<String> some = names.subList(i, Math.min(names.size(), i + 1_000));
      world.sent("UNLINK", some.toArray(String[]::new));
    }
  }
}
