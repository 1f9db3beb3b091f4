package fairgate.gate.limit;

import static org.assertj.core.api.Assertions.assertThat;

import fairgate.gate.limit.LimitFacts.Nonce;
import fairgate.gate.limit.LimitRule.Dimension;
import fairgate.gate.limit.LimitRule.OnFailure;
import fairgate.gate.limit.LimitRule.Semantics;
import fairgate.gate.limit.LimitVerdict.Granted;
import fairgate.gate.limit.LimitVerdict.Refused;
import fairgate.gate.limit.LimitVerdict.Replayed;
import fairgate.testkit.Eventually;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

/// What a node answers by itself is what Redis would have answered.
final class LimiterTest {
  private static final AtomicLong NEXT = new AtomicLong(System.nanoTime());

  private final LimitWorld world = new LimitWorld();
  private final String tag = Long.toString(NEXT.incrementAndGet(), 36);
  private final LimitFacts somebody = facts("1");
  private final LimitFacts newBrowser =
      new LimitFacts(tag + "1", tag, tag, null, null, null, null, null);

  private LimitFacts facts(String who) {
    return new LimitFacts(tag + who, tag, tag, tag + who, tag + who, tag + who, tag + who, null);
  }

  private LimitRule rule(String name, Dimension dimension, int max, int seconds, int burst) {
    return new LimitRule(
        tag + name, dimension, Semantics.RATE, max, seconds, burst, OnFailure.CLOSED);
  }

  private static LimitNode node(LimitRule... rules) {
    return LimitNode.still(rules);
  }

  private static LimitPlan plan(LimitNode node, LimitRule... rules) {
    return node.limiter.plan("route", java.util.Arrays.stream(rules).map(LimitRule::name).toList());
  }

  private static Refused refused(LimitVerdict verdict) {
    assertThat(verdict).isInstanceOf(Refused.class);
    return (Refused) verdict;
  }

  @Test
  void aRefusedKeyIsAnsweredFromMemoryUntilItsTime() {
    LimitRule one = rule("ip", Dimension.IP, 1, 60, 1);
    LimitNode node = node(one);
    LimitPlan plan = plan(node, one);
    assertThat(node.grants(plan, somebody)).isTrue();
    Duration wait = refused(node.check(plan, somebody)).retryAfter();
    assertThat(wait).isBetween(Duration.ofMillis(1), Duration.ofMinutes(1));
    long calls = node.redisCalls();
    for (int i = 0; i < 1_000; i++) {
      assertThat(refused(node.check(plan, somebody)).retryAfter()).isLessThanOrEqualTo(wait);
    }
    assertThat(node.redisCalls()).isEqualTo(calls);
    // Its time: the key in Redis is brought there too.
    node.pass(wait);
    world.idleIn("rl:" + one.name() + ":" + somebody.ip(), 0);
    assertThat(node.grants(plan, somebody)).isTrue();
    assertThat(node.redisCalls()).isEqualTo(calls + 1);
  }

  @Test
  void aRefusalIsCachedForAQuarterOfASecondAtMost() {
    LimitRule one = rule("ip", Dimension.IP, 1, 3_600, 1);
    LimitNode node = node(one);
    LimitPlan plan = plan(node, one);
    assertThat(node.grants(plan, somebody)).isTrue();
    assertThat(refused(node.check(plan, somebody)).retryAfter())
        .isGreaterThan(Duration.ofMinutes(59));
    long calls = node.redisCalls();
    assertThat(refused(node.check(plan, somebody)).retryAfter())
        .isGreaterThan(Duration.ofMinutes(59));
    assertThat(node.redisCalls()).isEqualTo(calls);
    node.pass(Duration.ofMillis(250));
    assertThat(world.send("DEL", "rl:" + one.name() + ":" + somebody.ip()).number()).isEqualTo(1);
    assertThat(node.grants(plan, somebody)).isTrue();
  }

  @Test
  void aRefusalOfOnePersonIsCachedForThisPersonOnly() {
    LimitRule user = rule("user", Dimension.USER, 1, 60, 1);
    LimitNode node = node(user);
    LimitPlan plan = plan(node, user);
    assertThat(node.grants(plan, somebody)).isTrue();
    assertThat(node.grants(plan, somebody)).isFalse();
    long calls = node.redisCalls();
    LimitFacts signed = somebody.withOnce(new Nonce("rl:t:" + tag, 60_000));
    assertThat(refused(node.check(plan, somebody)).violations()).hasSize(1);
    assertThat(refused(node.check(plan, signed)).violations()).hasSize(1);
    assertThat(node.redisCalls()).as("from memory").isEqualTo(calls);
    assertThat(node.grants(plan, somebody.withUser(tag + "2"))).isTrue();
  }

  @Test
  void aRefusalByAddressIsCachedForEverybodyThere() {
    LimitRule ip = rule("ip", Dimension.CLIENT, 1, 60, 1);
    LimitRule purchase = rule("purchase", Dimension.SESSION, 5, 60, 5);
    LimitNode node = node(ip, purchase);
    LimitPlan plan = plan(node, ip, purchase);
    LimitFacts guest = somebody.withAccount(null);
    assertThat(node.grants(plan, guest)).isTrue();
    assertThat(node.grants(plan, guest)).isFalse();
    long calls = node.redisCalls();
    for (int i = 0; i < 20; i++) {
      assertThat(node.grants(plan, guest.withSession(tag + "s" + i))).isFalse();
    }
    assertThat(node.redisCalls()).as("from memory").isEqualTo(calls);
    assertThat(node.grants(plan, somebody)).as("a signed-in caller").isTrue();
  }

  @Test
  void aNewPolicyDropsWhatWasRemembered() {
    LimitRule one = rule("ip", Dimension.IP, 1, 60, 1);
    LimitNode node = node(one);
    LimitPlan plan = plan(node, one);
    assertThat(node.grants(plan, somebody)).isTrue();
    assertThat(node.grants(plan, somebody)).isFalse();
    node.limiter.replace(List.of(rule("ip", Dimension.IP, 1, 60, 9)));
    assertThat(node.grants(plan, somebody)).isTrue();
    node.limiter.replace(List.of());
    long calls = node.redisCalls();
    assertThat(node.grants(plan, somebody)).isTrue();
    assertThat(node.redisCalls()).isEqualTo(calls);
  }

  @Test
  void callsThatWaitForOneKeyShareARunAndAreGrantedInPart() {
    LimitRule four = rule("ip", Dimension.IP, 4, 60, 4);
    LimitNode node = node(four);
    List<LimitVerdict> verdicts = node.together(10, plan(node, four), somebody);
    assertThat(LimitNode.granted(verdicts)).isEqualTo(4);
    assertThat(verdicts.subList(0, 4)).allMatch(LimitVerdict.Granted.class::isInstance);
    assertThat(node.redisCalls()).isEqualTo(1);
    assertThat(node.count("fairgate.limit.redis.items")).isEqualTo(1);
  }

  @Test
  void callsOfDifferentKeysShareARunToo() {
    LimitRule four = rule("ip", Dimension.IP, 4, 60, 4);
    LimitNode node = node(four);
    LimitPlan plan = plan(node, four);
    List<LimitVerdict> verdicts =
        node.together(
            List.of(
                () -> node.limiter.check(plan, facts("a")),
                () -> node.limiter.check(plan, facts("b")),
                () -> node.limiter.check(plan, facts("c"))));
    assertThat(LimitNode.granted(verdicts)).isEqualTo(3);
    assertThat(node.redisCalls()).isEqualTo(1);
    assertThat(node.count("fairgate.limit.redis.items")).isEqualTo(3);
  }

  @Test
  void aRefusalNamesEveryLimitInTheWayAndCountsInNone() {
    LimitRule ip = rule("ip", Dimension.IP, 1, 60, 1);
    LimitRule device = rule("device", Dimension.DEVICE, 1, 60, 1);
    LimitRule user = rule("user", Dimension.USER, 5, 3_600, 5);
    LimitNode node = node(ip, device, user);
    LimitPlan plan = plan(node, ip, device, user);
    assertThat(node.grants(plan, somebody)).isTrue();
    for (int i = 0; i < 3; i++) {
      assertThat(refused(node.check(plan, somebody)).violations())
          .extracting(LimitVerdict.Violation::rule)
          .containsExactly(ip, device);
    }
    LimitFacts sameUser = LimitFacts.NONE.withUser(tag + "1").withDevice(tag + "2");
    for (int i = 0; i < 4; i++) {
      LimitFacts elsewhere = LimitFacts.NONE.withUser(sameUser.user());
      assertThat(node.grants(plan, elsewhere)).isTrue();
    }
    assertThat(refused(node.check(plan, sameUser)).violations())
        .extracting(LimitVerdict.Violation::rule)
        .containsExactly(user);
  }

  @Test
  void everyDimensionCountsByItself() {
    for (Dimension dimension : Dimension.values()) {
      LimitRule one = rule(dimension.name(), dimension, 1, 60, 1);
      LimitNode node = node(one);
      LimitPlan plan = plan(node, one);
      LimitFacts caller = dimension == Dimension.NEW_BROWSER ? newBrowser : somebody;
      assertThat(node.grants(plan, caller)).as("%s", dimension).isTrue();
      assertThat(node.grants(plan, caller)).as("%s", dimension).isFalse();
    }
  }

  @Test
  void everyKeyEnds() {
    List<LimitRule> rules = new ArrayList<>();
    // A new browser counts by its address.
    for (Dimension dimension : EnumSet.complementOf(EnumSet.of(Dimension.NEW_BROWSER))) {
      rules.add(rule("r" + dimension, dimension, 2, 60, 2));
      rules.add(
          new LimitRule(
              tag + "w" + dimension, dimension, Semantics.WINDOW, 2, 60, 2, OnFailure.OPEN));
      rules.add(rule("f" + dimension, dimension, 7, 60, 7));
    }
    LimitNode node = LimitNode.still(rules.toArray(LimitRule[]::new));
    LimitPlan plan = plan(node, rules.toArray(LimitRule[]::new));
    LimitFacts signed = somebody.withOnce(new Nonce("rl:" + tag + "once", 60_000));
    assertThat(node.grants(plan, signed)).isTrue();
    assertThat(node.grants(plan, somebody)).isTrue();
    assertThat(node.grants(plan, somebody)).isFalse();
    List<String> keys = world.send("KEYS", "rl:" + tag + "*").texts();
    assertThat(keys).hasSize(rules.size() + 1);
    assertThat(keys)
        .allSatisfy(
            key -> assertThat(world.send("PTTL", key).number()).as(key).isBetween(1L, 60_000L));
  }

  @Test
  void aNonceIsSpentWithTheLimitsOrNotAtAll() {
    LimitRule one = rule("ip", Dimension.IP, 2, 60, 2);
    LimitNode node = node(one);
    LimitPlan plan = plan(node, one);
    LimitFacts signed = somebody.withOnce(new Nonce("rl:t:" + tag, 60_000));
    assertThat(node.grants(plan, signed)).isTrue();
    assertThat(node.check(plan, signed)).isInstanceOf(Replayed.class);
    assertThat(node.grants(plan, somebody)).isTrue();
    LimitFacts late = somebody.withOnce(new Nonce("rl:t:" + tag + "b", 60_000));
    assertThat(node.check(plan, late)).isInstanceOf(Refused.class);
    assertThat(world.send("EXISTS", "rl:t:" + tag + "b").number()).isZero();
  }

  @Test
  void aThousandUsesOfOneNonceAtOnceGiveOne() {
    LimitNode node = node();
    LimitPlan plan = plan(node);
    LimitFacts signed = somebody.withOnce(new Nonce("rl:t:" + tag, 60_000));
    assertThat(LimitNode.granted(node.together(1_000, plan, signed))).isEqualTo(1);
  }

  @Test
  void everyCallOfASharedKeyIsCountedInRedis() {
    LimitRule all = rule("global", Dimension.GLOBAL, 100_000, 10, 100_000);
    LimitNode node = node(all);
    LimitPlan plan = plan(node, all);
    long before = world.now();
    assertThat(LimitNode.granted(node.together(10_000, plan, somebody))).isEqualTo(10_000);
    assertThat(node.redisCalls()).as("one item for all").isEqualTo(1);
    // A call is 100 µs.
    assertThat(world.idleAt("rl:" + all.name()) - before)
        .isBetween(1_000_000L, 1_000_000L + world.now() - before);
  }

  @Test
  void aSharedLimitOfMoreThanASecondIsGivenBackToo() {
    LimitRule all = rule("global", Dimension.GLOBAL, 1, 60, 1);
    LimitNode node = node(all);
    LimitPlan plan = plan(node, all);
    assertThat(node.check(plan, somebody))
        .isInstanceOfSatisfying(Granted.class, granted -> granted.giveBack().run());
    Eventually.await("it is given back", () -> node.backs.size() == 0);
    assertThat(node.grants(plan, facts("2"))).isTrue();
  }
}
