package fairgate.gate.limit;

import static org.assertj.core.api.Assertions.assertThat;

import fairgate.TestEngines;
import fairgate.gate.limit.LimitRule.Dimension;
import fairgate.gate.limit.LimitRule.OnFailure;
import fairgate.gate.limit.LimitRule.Semantics;
import fairgate.gate.limit.LimitScript.Answer;
import fairgate.gate.limit.LimitScript.Item;
import fairgate.platform.redis.RedisClient;
import fairgate.platform.redis.RedisSettings;
import fairgate.testkit.Eventually;
import io.vertx.core.Vertx;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/// Four nodes at once, asked for far more than the limit, admit what one would: the entitlement, no
/// more and no less, whatever their clocks.
final class LimitNodesTest {
  private static final int NODES = 4;
  private static final int CALLERS = 2;
  private static final int PER_SECOND = 1_000;

  /// More than the whole run: a stall of the machine loses nothing, it is made up for later.
  private static final int BURST = 20_000;

  private static final long INTERVAL = 1_000_000 / PER_SECOND;
  private static final long RUN_MICROS = 1_200_000;

  private static final LimitRule WARM =
      new LimitRule("warm", Dimension.IP, Semantics.RATE, 1_000, 1, 1_000, OnFailure.CLOSED);

  private final LimitWorld world = new LimitWorld();
  private final List<Vertx> vertxes = new ArrayList<>();
  private final List<RedisClient> clients = new ArrayList<>();
  private final AtomicBoolean over = new AtomicBoolean();
  private final AtomicLong admitted = new AtomicLong();
  private final CountDownLatch ready = new CountDownLatch(NODES * CALLERS);
  private final CountDownLatch go = new CountDownLatch(1);
  private int drained;

  @AfterEach
  void close() {
    clients.forEach(RedisClient::close);
    vertxes.forEach(vertx -> vertx.close().await());
  }

  private LimitNode node(LimitRule rule, Duration ahead) {
    Vertx vertx = Vertx.vertx();
    vertxes.add(vertx);
    RedisClient redis =
        RedisClient.connect(
                vertx, new RedisSettings(TestEngines.shared().redisUri(), Duration.ofSeconds(10)))
            .await();
    clients.add(redis);
    LimitNode node =
        new LimitNode(vertx, redis, System::nanoTime, Duration.ofSeconds(10), List.of(rule, WARM));
    node.pass(ahead);
    return node;
  }

  private Thread caller(LimitNode node, LimitRule rule, LimitFacts facts) {
    LimitPlan plan = node.limiter.plan("route", List.of(rule.name()));
    return Thread.ofPlatform()
        .start(
            () -> {
              // What is slow at first, connecting and compiling, is over before the run.
              assertThat(node.grants(node.limiter.plan("warm", List.of("warm")), facts)).isTrue();
              ready.countDown();
              awaitGo();
              while (!over.get()) {
                if (node.grants(plan, facts)) {
                  admitted.incrementAndGet();
                } else {
                  // Refusals cost next to nothing; without a pause they would take all processors.
                  LockSupport.parkNanos(100_000);
                }
              }
            });
  }

  private void awaitGo() {
    try {
      go.await();
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  @ParameterizedTest
  @CsvSource({"IP,0", "IP,500", "GLOBAL,0", "GLOBAL,500"})
  void fourNodesAdmitTheEntitlement(Dimension dimension, int skewMillis)
      throws InterruptedException {
    String name = "n" + Long.toString(System.nanoTime(), 36);
    LimitRule rule =
        new LimitRule(name, dimension, Semantics.RATE, PER_SECOND, 1, BURST, OnFailure.CLOSED);
    LimitFacts facts = new LimitFacts("x", null, null, null, null, null, null, null);
    String key = String.valueOf(facts.key(rule, "route"));
    List<LimitNode> nodes = new ArrayList<>();
    for (int i = 0; i < NODES; i++) {
      long skew = skewMillis * (2L * i - NODES + 1) / (NODES - 1);
      nodes.add(node(rule, Duration.ofMillis(skew)));
    }
    List<Thread> callers = new ArrayList<>();
    for (int i = 0; i < NODES * CALLERS; i++) {
      callers.add(caller(nodes.get(i % NODES), rule, facts));
    }
    ready.await();
    // From here on nothing is left over, so what is admitted is what time has brought.
    long start = drain(rule, key);
    go.countDown();
    // A busy machine runs longer, until it is the nodes that have admitted most.
    Eventually.await(
        "a run in which the nodes admit",
        () -> {
          long passed = world.now() - start;
          return passed >= RUN_MICROS && admitted.get() > passed / INTERVAL / 2;
        });
    over.set(true);
    for (Thread one : callers) {
      one.join();
    }
    long end = drain(rule, key);
    long entitled = (end - start) / INTERVAL;
    long taken = admitted.get() + drained;
    assertThat(taken / (double) entitled)
        .as("%d admitted, %d left, of %d", admitted.get(), drained, entitled)
        .isBetween(0.999, 1.001);
    nodes.forEach(LimitNode::degradedNever);
  }

  /// Takes all that is left, and says when that was, by Redis.
  private long drain(LimitRule rule, String key) {
    String clock = LimitWorld.key();
    List<Answer> answers =
        world.ask(
            new Item(1, List.of(LimitWorld.limit(LimitWorld.rate(1, 1, 1), clock))),
            new Item(BURST, List.of(LimitWorld.limit(rule, key))));
    drained = answers.get(1).granted();
    return world.idleAt(clock) - 1_000_000;
  }
}
