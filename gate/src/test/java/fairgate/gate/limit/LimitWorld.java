package fairgate.gate.limit;

import static org.assertj.core.api.Assertions.assertThat;

import fairgate.TestEngines;
import fairgate.gate.limit.LimitRule.Dimension;
import fairgate.gate.limit.LimitRule.OnFailure;
import fairgate.gate.limit.LimitRule.Semantics;
import fairgate.gate.limit.LimitScript.Answer;
import fairgate.gate.limit.LimitScript.Item;
import fairgate.gate.limit.LimitScript.Limit;
import fairgate.gate.limit.LimitScript.RuleNumbers;
import fairgate.kernel.ClientAddress;
import fairgate.platform.redis.RedisClient;
import fairgate.platform.redis.RedisReply;
import fairgate.platform.redis.RedisSettings;
import io.vertx.core.Vertx;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicLong;

/// The limiter's script on a real Redis, under names no other test has.
final class LimitWorld {
  static final Vertx VERTX = Vertx.vertx();
  private static final AtomicLong NEXT = new AtomicLong(System.nanoTime());

  private static final class Shared {
    static final RedisClient REDIS =
        RedisClient.connect(
                VERTX, new RedisSettings(TestEngines.shared().redisUri(), Duration.ofSeconds(60)))
            .await();
  }

  private final LimitScript script = new LimitScript(redis());

  static RedisClient redis() {
    return Shared.REDIS;
  }

  static LimitRule rate(int max, int seconds, int burst) {
    return new LimitRule(
        "r", Dimension.IP, Semantics.RATE, max, seconds, burst, OnFailure.LOCAL_SHARE);
  }

  static LimitRule window(int max, int seconds) {
    return new LimitRule("w", Dimension.IP, Semantics.WINDOW, max, seconds, max, OnFailure.CLOSED);
  }

  /// A call from this address.
  static LimitFacts from(String address) {
    return LimitFacts.of(Objects.requireNonNull(ClientAddress.parse(address)));
  }

  /// A key nobody has used.
  static String key() {
    return "rl:t:" + NEXT.incrementAndGet();
  }

  static Limit limit(LimitRule rule, String key) {
    return new Limit(key, RuleNumbers.of(rule));
  }

  Answer ask(int wanted, Limit... limits) {
    return ask(new Item(wanted, List.of(limits))).getFirst();
  }

  List<Answer> ask(Item... items) {
    return script.run(Arrays.asList(items), 0).await().answers();
  }

  RedisReply send(String command, String... args) {
    return redis().send(command, args).await();
  }

  /// Microseconds of Redis.
  long now() {
    RedisReply time = send("TIME");
    return Long.parseLong(time.textAt(0)) * 1_000_000 + Long.parseLong(time.textAt(1));
  }

  /// The time at which a rate's key is idle, microseconds.
  long idleAt(String key) {
    String value = send("GET", key).text();
    int colon = value.indexOf(':');
    return Long.parseLong(colon < 0 ? value : value.substring(0, colon));
  }

  /// Puts a rate's key so that it is idle in so many microseconds.
  void idleIn(String key, long micros) {
    set(key, Long.toString(now() + micros));
  }

  void set(String key, String value) {
    assertThat(send("SET", key, value, "PX", "600000").text()).isEqualTo("OK");
  }

  /// The times a window's key holds, microseconds.
  List<Long> times(String key) {
    String code =
        "local s, all = redis.call('GET', KEYS[1]) or '', {} "
            + "for i = 1, #s, 7 do "
            + "all[#all + 1] = string.format('%.0f', (struct.unpack('>I7', s, i))) end return all";
    return send("EVAL", code, "1", key).texts().stream().map(Long::parseLong).toList();
  }

  /// Has a window's key hold calls at these times, microseconds.
  void times(String key, List<Long> times) {
    String code =
        "local s = '' for i = 1, #ARGV do s = s .. struct.pack('>I7', ARGV[i]) end "
            + "return redis.call('SET', KEYS[1], s, 'PX', 600000)";
    String[] args = new String[3 + times.size()];
    args[0] = code;
    args[1] = "1";
    args[2] = key;
    for (int i = 0; i < times.size(); i++) {
      args[3 + i] = Long.toString(times.get(i));
    }
    assertThat(send("EVAL", args).text()).isEqualTo("OK");
  }
}
