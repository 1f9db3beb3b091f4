package fairgate.sale;

import static org.assertj.core.api.Assertions.assertThat;

import fairgate.Buyer;
import fairgate.SaleScripts.Buy;
import fairgate.SaleWorld;
import fairgate.platform.redis.RedisReply;
import io.vertx.core.Future;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

/// Seeded random crowds at one sale. The seed is part of what a failure prints.
final class NeverOversellsTest {
  @Test
  void noRandomRunOversells() {
    for (long seed = 1; seed <= 12; seed++) {
      run(seed);
    }
  }

  private static void run(long seed) {
    Random random = new Random(seed);
    int units = 1 + random.nextInt(40);
    SaleWorld world =
        SaleWorld.open(units, "slots 100 max_quantity 3 max_user 4 max_device 0 payment_ms 60000");
    assertThat(world.configure("open", "payment " + random.nextInt(2))).isEqualTo("APPLIED");
    List<Buyer> crowd = world.ready(world.buyers(60));
    List<Buy> buys = new ArrayList<>();
    for (Buyer buyer : crowd) {
      for (int i = random.nextInt(4); i > 0; i--) {
        buys.add(new Buy(buyer, world.order(buyer), 1 + random.nextInt(3)));
      }
    }
    Collections.shuffle(buys, random);
    List<Future<RedisReply>> runs = new ArrayList<>();
    for (int at = 0; at < buys.size(); ) {
      int to = Math.min(buys.size(), at + 1 + random.nextInt(20));
      runs.add(world.scripts().purchase(buys.subList(at, to)));
      at = to;
    }
    long sold = 0;
    for (Future<RedisReply> run : runs) {
      for (String reply : run.await().texts()) {
        sold += reply.startsWith("RESERVED|") ? Long.parseLong(reply.split("\\|", -1)[2]) : 0;
      }
    }
    assertThat(sold).as("seed %s", seed).isLessThanOrEqualTo(units);
    assertThat(world.stock()).as("seed %s", seed).isEqualTo(units - sold);
    assertThat(world.stock() == 0 || buys.size() < 2 * units).as("seed %s", seed).isTrue();
    world.assertBalanced();
  }
}
