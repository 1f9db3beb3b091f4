package fairgate.gate.limit;

import static org.assertj.core.api.Assertions.assertThat;

import fairgate.TestEngines;
import fairgate.gate.limit.LimitFacts.Nonce;
import fairgate.gate.limit.LimitRule.Dimension;
import fairgate.gate.limit.LimitRule.OnFailure;
import fairgate.gate.limit.LimitRule.Semantics;
import fairgate.gate.limit.LimitVerdict.Granted;
import fairgate.gate.limit.LimitVerdict.Refused;
import fairgate.gate.limit.LimitVerdict.Unavailable;
import fairgate.platform.redis.RedisClient;
import fairgate.platform.redis.RedisSettings;
import fairgate.testkit.Eventually;
import fairgate.testkit.RespConnection;
import fairgate.testkit.SlowProxy;
import io.vertx.core.Vertx;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/// Redis paused, dead, without its scripts, slow: each limit is judged by what it says for that.
@Tag("slow")
final class LimitOutageTest {
  private static final LimitRule OPEN = rule("open", OnFailure.OPEN, 1_000_000);
  private static final LimitRule CLOSED = rule("closed", OnFailure.CLOSED, 1_000_000);
  private static final LimitRule SHARE = rule("share", OnFailure.LOCAL_SHARE, 8);
  private static final LimitRule WINDOW =
      new LimitRule("window", Dimension.IP, Semantics.WINDOW, 3, 3_600, 3, OnFailure.LOCAL_SHARE);
  private static final Duration BUDGET = Duration.ofMillis(200);

  private static TestEngines engines;
  private static Vertx vertx;

  private final LimitFacts somebody = LimitWorld.from("203.0.113.9");
  private final List<AutoCloseable> started = new ArrayList<>();

  private static LimitRule rule(String name, OnFailure onFailure, int max) {
    return new LimitRule(name, Dimension.IP, Semantics.RATE, max, 3_600, max, onFailure);
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
    // A test that failed may have left it paused.
    engines.resumeRedis();
    engines.flushRedis();
  }

  /// @param callBudget after which the client of Redis gives up a connection
  private LimitNode node(String uri, Duration budget, Duration callBudget) {
    RedisClient redis = RedisClient.connect(vertx, new RedisSettings(uri, callBudget)).await();
    started.add(redis);
    LimitNode node =
        new LimitNode(vertx, redis, System::nanoTime, budget, List.of(OPEN, CLOSED, SHARE, WINDOW));
    // Only Redis grants it. From then on a run has its budget and not a multiple.
    Eventually.await(() -> check(node, "closed") instanceof Granted);
    return node;
  }

  private LimitNode node(String uri) {
    return node(uri, BUDGET, Duration.ofSeconds(2));
  }

  private LimitNode node() {
    return node(engines.redisUri());
  }

  /// A node that a busy machine does not make give up on a sound Redis.
  private LimitNode patientNode() {
    return node(engines.redisUri(), Duration.ofMinutes(1), Duration.ofMinutes(1));
  }

  private LimitVerdict check(LimitNode node, String... limits) {
    return node.check(node.limiter.plan("route", List.of(limits)), somebody);
  }

  private void judgesByItself(LimitNode node) {
    double before = node.count("fairgate.limit.degraded");
    assertThat(check(node, "open")).isInstanceOf(Granted.class);
    assertThat(check(node, "closed")).isInstanceOf(Unavailable.class);
    assertThat(check(node, "open", "closed")).isInstanceOf(Unavailable.class);
    LimitFacts signed = somebody.withOnce(new Nonce("rl:t:nonce", 60_000));
    assertThat(node.check(node.limiter.plan("route", List.of("open")), signed))
        .isInstanceOf(Unavailable.class);
    assertThat(node.count("fairgate.limit.degraded")).isGreaterThanOrEqualTo(before + 5);
    assertThat(node.count("fairgate.limit.degraded", "policy", "closed")).isGreaterThanOrEqualTo(2);
  }

  private void comesBack(LimitNode node) {
    Eventually.await(() -> check(node, "closed") instanceof Granted);
    assertThat(node.breaker.isOpen()).isFalse();
  }

  @Test
  void whilePausedEachLimitSaysWhatHappensAndTheBreakerSparesTheWait() {
    LimitNode node = node();
    engines.pauseRedis();
    judgesByItself(node);
    Eventually.await(
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
    double before = node.count("fairgate.limit.redis.failures");
    engines.pauseRedis();
    // SendOutcome while Redis stands still; it will count them when it goes on.
    assertThat(node.check(plan, somebody)).isInstanceOf(Granted.class);
    assertThat(node.check(plan, somebody)).isInstanceOf(Granted.class);
    double runs = node.count("fairgate.limit.redis.failures") - before;
    assertThat(runs).isEqualTo(2);
    engines.resumeRedis();
    comesBack(node);
    // None where Redis stood still for so long that nobody waits for the answer any more.
    assertThat(exists("rl:share:203.0.113.9") ? debt() : 0).isBetween(0.0, 2.0);
  }

  @Test
  void whatRedisCountedLateForACallThatWasRefusedIsTakenBack() {
    LimitNode node = node();
    LimitPlan plan = node.limiter.plan("route", List.of("window"));
    engines.pauseRedis();
    assertThat(node.check(plan, somebody))
        .isInstanceOfSatisfying(Granted.class, granted -> granted.giveBack().run());
    engines.resumeRedis();
    comesBack(node);
    Eventually.await(() -> !exists("rl:window:203.0.113.9"));
    LimitNode other = patientNode();
    for (int i = 0; i < 3; i++) {
      assertThat(other.check(plan, somebody)).isInstanceOf(Granted.class);
    }
    assertThat(other.check(plan, somebody)).isInstanceOf(Refused.class);
  }

  @Test
  void whatCannotBeTakenBackNowIsTakenBackOnceRedisAnswers() {
    LimitNode node = patientNode();
    LimitPlan plan = node.limiter.plan("route", List.of("window"));
    LimitVerdict verdict = node.check(plan, somebody);
    assertThat(exists("rl:window:203.0.113.9")).isTrue();
    engines.killRedis();
    try {
      assertThat(verdict)
          .isInstanceOfSatisfying(Granted.class, granted -> granted.giveBack().run());
    } finally {
      engines.restartRedis();
    }
    Eventually.await(() -> !exists("rl:window:203.0.113.9"));
  }

  @Test
  void aCallThatIsTakenBackTwiceCountsOneLess() {
    LimitNode node = patientNode();
    for (String limit : List.of("window", "share")) {
      LimitPlan plan = node.limiter.plan("route", List.of(limit));
      for (int i = 0; i < 2; i++) {
        assertThat(node.check(plan, somebody)).isInstanceOf(Granted.class);
      }
      assertThat(node.check(plan, somebody))
          .isInstanceOfSatisfying(
              Granted.class,
              granted -> {
                granted.giveBack().run();
                granted.giveBack().run();
              });
      Eventually.await(() -> node.backs.size() == 0);
      assertThat(node.check(plan, somebody)).isInstanceOf(Granted.class);
    }
    assertThat(check(node, "window")).isInstanceOf(Refused.class);
    assertThat(debt()).isBetween(2.5, 3.0);
  }

  @Test
  void whatANodeCountedByItselfIsGivenBackToo() {
    LimitNode node = node();
    engines.killRedis();
    try {
      for (int i = 0; i < 20; i++) {
        assertThat(check(node, "share"))
            .isInstanceOfSatisfying(Granted.class, granted -> granted.giveBack().run());
      }
    } finally {
      engines.restartRedis();
    }
    comesBack(node);
  }

  private boolean exists(String key) {
    return RespConnection.call(engines.redisUri(), "EXISTS", key).equals("1");
  }

  /// How many calls Redis has counted for the key of `share`.
  private double debt() {
    String idle = RespConnection.call(engines.redisUri(), "GET", "rl:share:203.0.113.9");
    String[] time = RespConnection.call(engines.redisUri(), "TIME").split("\n", -1);
    double now = Double.parseDouble(time[0]) * 1e6 + Double.parseDouble(time[1]);
    return (Double.parseDouble(idle) - now) / 3_600e6 * 8;
  }

  @Test
  void whileDeadANodeCountsByItselfUpToTheLimit() {
    LimitNode node = node();
    engines.killRedis();
    try {
      judgesByItself(node);
      int granted = 0;
      for (int i = 0; i < 20; i++) {
        LimitVerdict verdict = check(node, "share");
        granted += verdict instanceof Granted ? 1 : 0;
        if (verdict instanceof Refused refused) {
          assertThat(refused.retryAfter()).isBetween(Duration.ofMinutes(7), Duration.ofMinutes(8));
        }
      }
      assertThat(granted).isEqualTo(8);
    } finally {
      engines.restartRedis();
    }
    comesBack(node);
    Eventually.await(() -> check(node, "share") instanceof Granted);
  }

  @Test
  void aRedisWithoutItsScriptsIsGivenThemOnce() {
    LimitNode node = patientNode();
    for (int i = 0; i < 5; i++) {
      assertThat(RespConnection.call(engines.redisUri(), "SCRIPT", "FLUSH")).isEqualTo("OK");
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
      // A node that stands still meanwhile may find the answer before it finds the time over.
      Eventually.await(
          () -> {
            LimitVerdict _ = check(node, "open");
            return node.breaker.isOpen();
          });
      judgesByItself(node);
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
    LimitNode node = patientNode();
    assertThat(check(node, "open", "share")).isInstanceOf(Granted.class);
    String folder =
        RespConnection.call(engines.redisUri(), "CONFIG", "GET", "dir").split("\n", -1)[1];
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
    LimitNode node = patientNode();
    assertThat(RespConnection.call(engines.redisUri(), "CONFIG", "SET", "maxmemory", "1"))
        .isEqualTo("OK");
    try {
      assertThat(check(node, "closed")).isInstanceOf(Unavailable.class);
      assertThat(check(node, "open")).isInstanceOf(Granted.class);
    } finally {
      assertThat(RespConnection.call(engines.redisUri(), "CONFIG", "SET", "maxmemory", "0"))
          .isEqualTo("OK");
    }
    comesBack(node);
  }
}
