package fairgate.gate.limit;

import static org.assertj.core.api.Assertions.assertThat;

import fairgate.RawRedis;
import fairgate.TestEngines;
import fairgate.gate.limit.LimitFacts.Once;
import fairgate.gate.limit.LimitRule.OnFailure;
import fairgate.gate.limit.LimitRule.Semantics;
import fairgate.gate.limit.LimitVerdict.Granted;
import fairgate.gate.limit.LimitVerdict.Refused;
import fairgate.gate.limit.LimitVerdict.Unavailable;
import fairgate.platform.redis.RedisClient;
import fairgate.platform.redis.RedisSettings;
import fairgate.testkit.SlowProxy;
import io.vertx.core.Vertx;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/// Redis paused, dead, without its scripts, slow: each limit is judged by what it says for that.
final class LimitOutageTest {
  private static final LimitRule OPEN = rule("open", OnFailure.OPEN, 1_000_000);
  private static final LimitRule CLOSED = rule("closed", OnFailure.CLOSED, 1_000_000);
  private static final LimitRule SHARE = rule("share", OnFailure.LOCAL_SHARE, 8);
  private static final Duration BUDGET = Duration.ofMillis(200);

  private static TestEngines engines;
  private static Vertx vertx;

  private final LimitFacts somebody = LimitWorld.from("203.0.113.9");
  private final List<AutoCloseable> started = new ArrayList<>();

  private static LimitRule rule(String name, OnFailure onFailure, int most) {
    return new LimitRule(name, Dimension.IP, Semantics.RATE, most, 3_600, most, onFailure);
  }

  @BeforeAll
  static void start() {
    engines = TestEngines.privateEngines();
    vertx = Vertx.vertx();
  }

  @AfterAll
  static void stop() {
    vertx.close().await();
    engines.close();
  }

  @AfterEach
  void close() throws Exception {
    for (AutoCloseable one : started) {
      one.close();
    }
    engines.flushRedis();
  }

  private LimitNode node(String uri) {
    RedisClient redis =
        RedisClient.connect(vertx, new RedisSettings(uri, Duration.ofSeconds(2))).await();
    started.add(redis);
    LimitNode node =
        new LimitNode(vertx, redis, System::nanoTime, BUDGET, List.of(OPEN, CLOSED, SHARE));
    until(() -> check(node, "open") instanceof Granted);
    return node;
  }

  private LimitNode node() {
    return node(engines.redisUri());
  }

  private LimitVerdict check(LimitNode node, String... limits) {
    return node.check(node.limiter.plan("route", List.of(limits)), somebody);
  }

  private static void until(BooleanSupplier condition) {
    long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(20);
    while (!condition.getAsBoolean()) {
      assertThat(System.nanoTime()).as("in time").isLessThan(deadline);
      LockSupport.parkNanos(2_000_000);
    }
  }

  private void judgesByItself(LimitNode node) {
    double before = node.count("fairgate.limit.degraded");
    assertThat(check(node, "open")).isInstanceOf(Granted.class);
    assertThat(check(node, "closed")).isInstanceOf(Unavailable.class);
    assertThat(check(node, "open", "closed")).isInstanceOf(Unavailable.class);
    LimitFacts signed = somebody.withOnce(new Once("rl:t:nonce", 60_000));
    assertThat(node.check(node.limiter.plan("route", List.of("open")), signed))
        .isInstanceOf(Unavailable.class);
    assertThat(node.count("fairgate.limit.degraded")).isGreaterThanOrEqualTo(before + 5);
    assertThat(node.count("fairgate.limit.degraded", "policy", "closed")).isGreaterThanOrEqualTo(2);
  }

  private void comesBack(LimitNode node) {
    until(() -> check(node, "closed") instanceof Granted);
    assertThat(node.breaker.isOpen()).isFalse();
  }

  @Test
  void whilePausedEachLimitSaysWhatHappensAndTheBreakerSparesTheWait() {
    LimitNode node = node();
    engines.pauseRedis();
    judgesByItself(node);
    until(
        () -> {
          LimitVerdict _ = check(node, "open");
          return node.breaker.isOpen();
        });
    double failures = node.count("fairgate.limit.redis.failures");
    for (int i = 0; i < 10_000; i++) {
      assertThat(check(node, "open")).isInstanceOf(Granted.class);
    }
    // A probe every half second at most: asking each time would have taken half an hour.
    assertThat(node.count("fairgate.limit.redis.failures") - failures).isLessThan(100);
    engines.resumeRedis();
    comesBack(node);
  }

  @Test
  void aCallWithoutAnAnswerIsNeverRepeated() {
    LimitNode node = node();
    LimitPlan plan = node.limiter.plan("route", List.of("share"));
    engines.pauseRedis();
    // Sent while Redis stands still; it will count them when it goes on.
    assertThat(node.check(plan, somebody)).isInstanceOf(Granted.class);
    assertThat(node.check(plan, somebody)).isInstanceOf(Granted.class);
    double runs = node.count("fairgate.limit.redis.failures");
    assertThat(runs).isEqualTo(2);
    engines.resumeRedis();
    until(() -> exists("rl:share:203.0.113.9"));
    until(() -> debt() > 1.5);
    comesBack(node);
    assertThat(debt()).isBetween(1.5, 2.0);
  }

  private boolean exists(String key) {
    return RawRedis.call(engines.redisUri(), "EXISTS", key).equals("1");
  }

  /// How many calls Redis has counted for the key of `share`.
  private double debt() {
    String idle = RawRedis.call(engines.redisUri(), "GET", "rl:share:203.0.113.9");
    String[] time = RawRedis.call(engines.redisUri(), "TIME").split("\n", -1);
    double now = Double.parseDouble(time[0]) * 1e6 + Double.parseDouble(time[1]);
    return (Double.parseDouble(idle) - now) / 3_600e6 * 8;
  }

  @Test
  void whileDeadANodeGrantsItsShare() {
    LimitNode node = node();
    node.alive.set(4);
    engines.killRedis();
    try {
      judgesByItself(node);
      // Eight in an hour, four nodes: two for each.
      int granted = 0;
      for (int i = 0; i < 20; i++) {
        LimitVerdict verdict = check(node, "share");
        granted += verdict instanceof Granted ? 1 : 0;
        if (verdict instanceof Refused refused) {
          assertThat(refused.retryAfter())
              .isBetween(Duration.ofMinutes(29), Duration.ofMinutes(30));
        }
      }
      assertThat(granted).isEqualTo(2);
    } finally {
      engines.restartRedis();
    }
    comesBack(node);
    until(() -> check(node, "share") instanceof Granted);
  }

  @Test
  void aRedisWithoutItsScriptsIsGivenThemOnce() {
    LimitNode node = node();
    for (int i = 0; i < 5; i++) {
      assertThat(RawRedis.call(engines.redisUri(), "SCRIPT", "FLUSH")).isEqualTo("OK");
      assertThat(check(node, "closed")).isInstanceOf(Granted.class);
    }
    node.degradedNever();
    assertThat(node.count("fairgate.limit.redis.failures")).isZero();
  }

  @Test
  void aRedisThatIsSlowByHalfASecondIsNotWaitedFor() {
    String file = engines.redisUri().substring("unix://".length());
    try (SlowProxy proxy = new SlowProxy(Path.of(file))) {
      LimitNode node = node("redis://127.0.0.1:" + proxy.port());
      proxy.delay(Duration.ofMillis(500));
      judgesByItself(node);
      until(
          () -> {
            LimitVerdict _ = check(node, "open");
            return node.breaker.isOpen();
          });
      double failures = node.count("fairgate.limit.redis.failures");
      for (int i = 0; i < 1_000; i++) {
        assertThat(check(node, "open")).isInstanceOf(Granted.class);
      }
      assertThat(node.count("fairgate.limit.redis.failures") - failures).isLessThan(100);
      proxy.delay(Duration.ZERO);
      comesBack(node);
    }
  }

  @Test
  void whatIsOverWithinASecondIsNotLogged() throws IOException {
    LimitNode node = node();
    assertThat(check(node, "open", "share")).isInstanceOf(Granted.class);
    String folder = RawRedis.call(engines.redisUri(), "CONFIG", "GET", "dir").split("\n", -1)[1];
    StringBuilder log = new StringBuilder();
    try (Stream<Path> files = Files.walk(Path.of(folder))) {
      for (Path file : files.filter(f -> f.toString().endsWith(".aof")).toList()) {
        log.append(Files.readString(file, StandardCharsets.ISO_8859_1));
      }
    }
    assertThat(log).contains("SET\r\n$20\r\nrl:share:203.0.113.9\r\n");
    assertThat(log).doesNotContain("SET\r\n$19\r\nrl:open:203.0.113.9\r\n");
  }

  @Test
  void aRedisThatTakesNoWritesIsNotTakenForAGrant() {
    LimitNode node = node();
    assertThat(RawRedis.call(engines.redisUri(), "CONFIG", "SET", "maxmemory", "1"))
        .isEqualTo("OK");
    try {
      assertThat(check(node, "closed")).isInstanceOf(Unavailable.class);
      assertThat(check(node, "open")).isInstanceOf(Granted.class);
    } finally {
      assertThat(RawRedis.call(engines.redisUri(), "CONFIG", "SET", "maxmemory", "0"))
          .isEqualTo("OK");
    }
    comesBack(node);
  }
}
