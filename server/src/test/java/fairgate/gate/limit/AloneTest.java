package fairgate.gate.limit;

import static org.assertj.core.api.Assertions.assertThat;

import fairgate.TestEngines;
import fairgate.gate.limit.LimitFacts.Once;
import fairgate.gate.limit.LimitRule.OnFailure;
import fairgate.gate.limit.LimitRule.Semantics;
import fairgate.gate.limit.LimitVerdict.Refused;
import fairgate.gate.limit.LimitVerdict.Replayed;
import fairgate.gate.limit.node.Company.Counts;
import fairgate.gate.limit.node.Nodes;
import fairgate.platform.redis.RedisClient;
import fairgate.platform.redis.RedisSettings;
import io.vertx.core.Vertx;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/// A node that is alone counts by itself what is over within a second, and nothing is forgotten or
/// counted twice when others come and go.
final class AloneTest {
  private static final AtomicLong NEXT = new AtomicLong(System.nanoTime());
  private static final int PER_SECOND = 1_000;

  private final String tag = Long.toString(NEXT.incrementAndGet(), 36);
  private final LimitFacts somebody = new LimitFacts(tag, tag, null, null, tag, null, null);
  private final LimitRule brief = rule("brief", Dimension.IP, 5, 1, 5);
  private final LimitRule shared = rule("shared", Dimension.GLOBAL, 100, 1, 100);
  private final LimitRule lasting = rule("lasting", Dimension.DEVICE, 3, 60, 3);
  private final LimitWorld world = new LimitWorld();
  private final List<AutoCloseable> opened = new ArrayList<>();

  @AfterEach
  void close() throws Exception {
    for (AutoCloseable one : opened.reversed()) {
      one.close();
    }
  }

  private LimitRule rule(String name, Dimension dimension, int most, int seconds, int burst) {
    return new LimitRule(
        tag + name, dimension, Semantics.RATE, most, seconds, burst, OnFailure.CLOSED);
  }

  private LimitNode alone() {
    LimitNode node = LimitNode.still(brief, shared, lasting);
    node.counts = Counts.NODE;
    return node;
  }

  private static LimitPlan plan(LimitNode node, LimitRule... rules) {
    return node.limiter.plan("route", java.util.Arrays.stream(rules).map(LimitRule::name).toList());
  }

  @Test
  void redisIsNotAskedByWhoIsAlone() {
    LimitNode node = alone();
    LimitPlan plan = plan(node, brief, shared);
    for (int i = 0; i < 5; i++) {
      assertThat(node.grants(plan, somebody)).isTrue();
    }
    Refused refused = (Refused) node.check(plan, somebody);
    assertThat(refused.violations())
        .extracting(LimitVerdict.Violation::rule)
        .containsExactly(brief);
    assertThat(refused.retryAfter()).isEqualTo(Duration.ofMillis(200));
    node.pass(Duration.ofNanos(199_999_000));
    assertThat(node.grants(plan, somebody)).isFalse();
    node.pass(Duration.ofNanos(1_000));
    assertThat(node.grants(plan, somebody)).isTrue();
    assertThat(node.redisCalls()).isZero();
    assertThat(world.send("KEYS", "rl:" + tag + "*").size()).isZero();
  }

  @Test
  void whatRedisRefusesCountsNowhere() {
    LimitNode node = alone();
    LimitPlan plan = plan(node, brief, lasting);
    for (int i = 0; i < 3; i++) {
      assertThat(node.grants(plan, somebody)).isTrue();
    }
    for (int i = 0; i < 50; i++) {
      assertThat(node.grants(plan, somebody)).isFalse();
    }
    // Two of five were left, and still are.
    LimitPlan other = plan(node, brief);
    assertThat(node.grants(other, somebody)).isTrue();
    assertThat(node.grants(other, somebody)).isTrue();
    assertThat(node.grants(other, somebody)).isFalse();
  }

  @Test
  void aNonceIsSpentInRedisAllTheSame() {
    LimitNode node = alone();
    LimitPlan plan = plan(node, brief);
    LimitFacts signed = somebody.withOnce(new Once("rl:t:" + tag, 60_000));
    assertThat(node.grants(plan, signed)).isTrue();
    for (int i = 0; i < 9; i++) {
      assertThat(node.check(plan, signed)).isInstanceOf(Replayed.class);
    }
    for (int i = 0; i < 4; i++) {
      assertThat(node.grants(plan, somebody)).isTrue();
    }
    assertThat(node.grants(plan, somebody)).isFalse();
  }

  /// No time passes here; what Redis is told and tells is of one instant.
  @Test
  void whatTheNodeCountedIsCountedByRedisToo() {
    LimitNode node = alone();
    LimitPlan plan = plan(node, brief, lasting);
    LimitPlan other = plan(node, brief);
    assertThat(node.grants(other, somebody)).isTrue();
    assertThat(node.grants(plan, somebody)).isTrue();
    node.counts = Counts.BOTH;
    assertThat(node.grants(other, somebody)).isTrue();
    assertThat(node.redisCalls()).isEqualTo(2);
    node.counts = Counts.NODE;
    // Redis said: three.
    assertThat(node.grants(other, somebody)).isTrue();
    assertThat(node.grants(other, somebody)).isTrue();
    assertThat(node.grants(other, somebody)).isFalse();
    node.counts = Counts.BOTH;
    // Redis is told of five, though it knows of three at most.
    assertThat(LimitNode.granted(node.together(3, other, somebody))).isZero();
  }

  @Test
  void whatRedisCountedIsCountedByTheNodeToo() {
    LimitNode node = alone();
    LimitPlan plan = plan(node, brief);
    world.idleIn("rl:" + brief.name() + ":" + tag, 100_000_000);
    node.counts = Counts.BOTH;
    assertThat(node.grants(plan, somebody)).isFalse();
    node.counts = Counts.NODE;
    assertThat(node.grants(plan, somebody)).isFalse();
    node.pass(Duration.ofSeconds(1));
    for (int i = 0; i < 5; i++) {
      assertThat(node.grants(plan, somebody)).isTrue();
    }
    assertThat(node.grants(plan, somebody)).isFalse();
  }

  @Test
  void anOutageOfRedisIsNotNoticedByWhatIsCountedHere() {
    LimitNode node = alone();
    for (int i = 0; i < 10; i++) {
      node.breaker.failed(i * 1_000_000_000L);
    }
    assertThat(node.breaker.isOpen()).isTrue();
    LimitPlan plan = plan(node, brief, shared);
    for (int i = 0; i < 5; i++) {
      assertThat(node.grants(plan, somebody)).isTrue();
    }
    assertThat(node.grants(plan, somebody)).isFalse();
    node.degradedNever();
  }

  /// A node of a fleet, which asks for as much as it is given.
  private final class Member implements AutoCloseable {
    private final Vertx vertx = Vertx.vertx();
    private final RedisClient redis;
    private final Nodes nodes;
    private final LimitNode node;
    private final LimitPlan plan;
    private final AtomicBoolean over = new AtomicBoolean();
    private final AtomicLong admitted = new AtomicLong();
    private final AtomicLong refused = new AtomicLong();
    private final AtomicReference<Throwable> failure = new AtomicReference<>();
    private final Thread caller;

    Member(String name, LimitRule rule) {
      this.redis =
          RedisClient.connect(
                  vertx, new RedisSettings(TestEngines.shared().redisUri(), Duration.ofSeconds(10)))
              .await();
      this.nodes =
          new Nodes(
              vertx,
              redis,
              List.of("rl:t:nodes" + tag, "rl:t:alone" + tag),
              name,
              System::nanoTime);
      var _ = nodes.settled().await();
      this.node =
          new LimitNode(
              vertx, redis, System::nanoTime, Duration.ofSeconds(10), List.of(rule), nodes);
      this.plan = AloneTest.plan(node, rule);
      this.caller = Thread.ofPlatform().start(this::call);
    }

    private void call() {
      try {
        while (!over.get()) {
          if (node.grants(plan, somebody)) {
            admitted.incrementAndGet();
          } else {
            refused.incrementAndGet();
            LockSupport.parkNanos(200_000);
          }
        }
      } catch (RuntimeException | Error e) {
        failure.set(e);
      }
    }

    Counts counts() {
      return nodes.at(System.nanoTime());
    }

    long redisCalls() {
      return node.redisCalls();
    }

    /// Nothing is asked any more, and what it had counted may be asked of it.
    void quiet() {
      over.set(true);
      join();
      assertThat(failure.get()).isNull();
    }

    private void join() {
      try {
        caller.join();
      } catch (InterruptedException e) {
        throw new IllegalStateException(e);
      }
    }

    @Override
    public void close() {
      quiet();
      nodes.close();
      redis.close();
      vertx.close().await();
    }
  }

  private Member member(String name, LimitRule rule) {
    Member member = new Member(name, rule);
    opened.add(member);
    return member;
  }

  private static void until(BooleanSupplier condition) {
    long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(40);
    while (!condition.getAsBoolean()) {
      assertThat(System.nanoTime()).as("in time").isLessThan(deadline);
      LockSupport.parkNanos(2_000_000);
    }
  }

  /// As much as anything that is counted here may be, so that whatever is forgotten shows: a
  /// thousand calls more.
  @Test
  void whoComesAndGoesGetsNothingBesideTheEntitlement() {
    LimitRule rule = rule("rate", Dimension.IP, PER_SECOND, 1, PER_SECOND);
    Member first = member("first", rule);
    long start = System.nanoTime();
    until(() -> first.counts() == Counts.NODE && first.refused.get() > 0);
    Member second = member("second", rule);
    // It was waited for: nobody counts alone where there are two.
    assertThat(first.counts()).isEqualTo(Counts.REDIS);
    long calls = second.redisCalls();
    until(() -> second.redisCalls() > calls + 100 && second.admitted.get() > 0);
    assertThat(second.counts()).isEqualTo(Counts.REDIS);
    second.quiet();
    second.nodes.close();
    until(() -> first.counts() == Counts.BOTH);
    until(() -> first.counts() == Counts.NODE);
    long refused = first.refused.get();
    until(() -> first.refused.get() > refused + 2);
    first.quiet();
    double seconds = (System.nanoTime() - start) / 1e9;
    long entitled = PER_SECOND + (long) (seconds * PER_SECOND);
    long admitted = first.admitted.get() + second.admitted.get();
    assertThat(admitted).as("of %d", entitled).isLessThanOrEqualTo(entitled);
    // A busy machine asks for less than there is, and what is not asked for in a second is lost.
    assertThat(admitted).isGreaterThan(entitled / 4);
    first.node.degradedNever();
    second.node.degradedNever();
  }
}
