package fairgate.redeem.guard;

import fairgate.TestEngines;
import fairgate.platform.redis.RedisClient;
import fairgate.platform.redis.RedisReply;
import fairgate.platform.redis.RedisSettings;
import fairgate.redeem.guard.RedisClaimBudget.ClaimAttemptScript;
import fairgate.redeem.guard.RedisClaimBudget.ClaimMissScript;
import io.vertx.core.Vertx;
import java.time.Duration;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicLong;

/// The guard's scripts on a real Redis, with a subject of its own for each test.
final class Scripts {
  private static final class Shared {
    static final RedisClient REDIS =
        RedisClient.connect(
                Vertx.vertx(),
                new RedisSettings(TestEngines.shared().redisUri(), Duration.ofMinutes(1)))
            .await();
  }

  private final ClaimAttemptScript attempts = new ClaimAttemptScript(Shared.REDIS);
  private final ClaimMissScript misses = new ClaimMissScript(Shared.REDIS);
  private final ClaimKeys keys = ClaimKeys.ofDevice(UUID.randomUUID().toString());
  private final AtomicLong names = new AtomicLong();

  /// The budgets of all nodes.
  static ClaimBudget budget() {
    return new RedisClaimBudget(
        Shared.REDIS,
        ClaimBudget.Config.defaults(),
        () -> UUID.randomUUID().toString(),
        (_, _) -> {});
  }

  ClaimKeys keys() {
    return keys;
  }

  ClaimAttemptScript.BudgetReply attempt(ClaimAttemptScript.Rule rule) {
    String name = "n" + names.incrementAndGet();
    return attempts.run(keys, rule, name, name, false).await();
  }

  ClaimAttemptScript.BudgetReply excused(ClaimAttemptScript.Rule rule) {
    String name = "n" + names.incrementAndGet();
    return attempts.run(keys, rule, name, name, true).await();
  }

  ClaimAttemptScript.BudgetReply miss(ClaimMissScript.Rule rule) {
    return misses.run(keys, rule, "n" + names.incrementAndGet()).await();
  }

  static RedisReply redis(String command, String... args) {
    return Shared.REDIS.send(command, args).await();
  }

  /// Makes all that was noted under a key older.
  static void age(String key, Duration by) {
    for (String member : redis("ZRANGE", key, "0", "-1").texts()) {
      var _ = redis("ZINCRBY", key, Long.toString(-by.toMillis()), member);
    }
  }

  static long ttl(String key) {
    return redis("PTTL", key).number();
  }
}
