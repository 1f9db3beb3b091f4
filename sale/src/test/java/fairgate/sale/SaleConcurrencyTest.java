package fairgate.sale;

import static org.assertj.core.api.Assertions.assertThat;

import fairgate.Buyer;
import fairgate.SaleScripts;
import fairgate.SaleScripts.Buy;
import fairgate.SaleScripts.Join;
import fairgate.SaleWorld;
import fairgate.platform.redis.RedisClient;
import fairgate.sale.SaleScripts.LiveScript;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

/// Everybody at once on one sale: buyers, admission loops and those who put units on sale.
final class SaleConcurrencyTest {
  private static final int CONNECTIONS = 8;
  private static final int THREADS = 64;
  private static final int SESSIONS = 2_000;
  private static final int BATCHES = 10;
  private static final int UNITS = 100;

  private final SaleWorld world =
      SaleWorld.open(0, "capacity 60 slots 25 payment 1 payment_ms 600000");
  private final AtomicLong sold = new AtomicLong();

  @Test
  void aHundredUnitsGoToAHundredOfTwoThousand() throws Exception {
    List<RedisClient> connections = new ArrayList<>();
    for (int i = 0; i < CONNECTIONS; i++) {
      connections.add(SaleWorld.connect());
    }
    List<Future<Set<String>>> crowd = new ArrayList<>();
    List<Future<Boolean>> loops = new ArrayList<>();
    try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
      for (int i = 0; i < THREADS; i++) {
        SaleScripts scripts = world.scripts(connections.get(i % CONNECTIONS));
        List<Buyer> mine = world.buyers(SESSIONS / THREADS + (i < SESSIONS % THREADS ? 1 : 0));
        crowd.add(threads.submit(() -> buyAll(scripts, mine)));
      }
      for (int i = 0; i < 4; i++) {
        SaleScripts scripts = world.scripts(connections.get(i));
        loops.add(threads.submit(repeat(() -> admitOnce(scripts))));
        loops.add(threads.submit(repeat(() -> releaseAll(scripts))));
      }
      loops.add(threads.submit(repeat(this::sample)));
    }
    Set<String> buyers = new HashSet<>();
    for (Future<Set<String>> part : crowd) {
      buyers.addAll(part.get());
    }
    for (Future<Boolean> loop : loops) {
      assertThat(loop.get()).isTrue();
    }
    connections.forEach(RedisClient::close);
    assertThat(sold).hasValue(UNITS);
    assertThat(buyers).hasSize(UNITS);
    assertThat(world.stock()).isZero();
    assertThat(world.sale("released")).isEqualTo(Integer.toString(UNITS));
    assertThat(world.sale("held")).isEqualTo(Integer.toString(UNITS));
    assertThat(world.send("SMEMBERS", world.keys().purchases()).texts())
        .containsExactlyInAnyOrderElementsOf(buyers);
    assertThat(world.send("ZCARD", world.keys().pending()).number()).isEqualTo(UNITS);
    assertThat(world.send("XLEN", world.keys().outbox()).number()).isEqualTo(UNITS + BATCHES);
  }

  private Callable<Boolean> repeat(Runnable step) {
    return () -> {
      SaleWorld.await(
          () -> {
            step.run();
            return sold.get() >= UNITS;
          });
      return true;
    };
  }

  /// Joins all, then tries to buy for all again and again until everything is sold, and once more.
  private Set<String> buyAll(SaleScripts scripts, List<Buyer> mine) {
    // The last reply is the life of the sessions.
    assertThat(
            scripts
                .join(mine.stream().map(b -> new Join(b, "", "")).toList())
                .await()
                .texts()
                .subList(0, mine.size()))
        .allMatch(reply -> reply.startsWith("JOINED"));
    Set<String> buyers = new HashSet<>();
    SaleWorld.await(
        () -> {
          tryAll(scripts, mine, buyers);
          return sold.get() >= UNITS;
        });
    tryAll(scripts, mine, buyers);
    return buyers;
  }

  private void tryAll(SaleScripts scripts, List<Buyer> mine, Set<String> buyers) {
    List<Buy> buys = mine.stream().map(b -> new Buy(b, world.order(b), 1)).toList();
    List<String> replies = scripts.purchase(buys).await().texts();
    for (int i = 0; i < replies.size(); i++) {
      String word = replies.get(i).split("\\|", -1)[0];
      if (word.equals("RESERVED")) {
        assertThat(buyers.add(mine.get(i).session().value())).isTrue();
        sold.incrementAndGet();
      } else {
        assertThat(word).isIn("BOUGHT", "NOT_IN_ACTIVE", "NOT_READY", "SOLD_OUT");
      }
    }
  }

  private static void admitOnce(SaleScripts scripts) {
    assertThat(scripts.expire(250).await().missed()).isZero();
    assertThat(scripts.admit(20).await().textAt(0)).isEqualTo("open");
  }

  private static void releaseAll(SaleScripts scripts) {
    for (int batch = 1; batch <= BATCHES; batch++) {
      assertThat(scripts.stockBatch(batch, UNITS / BATCHES).await().text())
          .isIn("APPLIED", "ALREADY");
    }
  }

  private void sample() {
    LiveCounters live = new LiveScript(world.redis()).run(world.keys()).await();
    assertThat(live.balanced()).isTrue();
    assertThat(live.active()).isLessThanOrEqualTo(60);
    assertThat(live.ready()).isLessThanOrEqualTo(25);
    assertThat(live.held()).isLessThanOrEqualTo(UNITS);
  }
}
