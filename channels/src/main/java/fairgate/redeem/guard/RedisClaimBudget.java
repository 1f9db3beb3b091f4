package fairgate.redeem.guard;

import fairgate.platform.observe.OutageLog;
import fairgate.platform.redis.LuaScript;
import fairgate.platform.redis.RedisClient;
import fairgate.platform.redis.RedisReply;
import fairgate.platform.redis.ScriptBatcher;
import fairgate.redeem.guard.RedisClaimBudget.ClaimAttemptScript.BudgetReply;
import fairgate.redeem.guard.RedisClaimBudget.ClaimAttemptScript.Rule;
import io.vertx.core.Future;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BiConsumer;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Budgets in Redis, shared by all nodes.
final class RedisClaimBudget implements ClaimBudget {
  private static final Duration MISS_WINDOW = Duration.ofHours(1);
  private static final Duration BAN_WINDOW = Duration.ofDays(1);

  private static final Logger LOG = LoggerFactory.getLogger(RedisClaimBudget.class);

  private final OutageLog givingBack =
      new OutageLog(LOG, "attempts of claims, which are not given back");
  private final RedisClient redis;
  private final ClaimAttemptScript attempts;
  private final ClaimMissScript misses;
  private final Supplier<String> nonces;
  private final BiConsumer<String, Duration> bans;
  private final Rule address;
  private final Rule device;
  private final Rule name;
  private final Rule order;

  /// @param nonces names of attempts
  /// @param bans records a new ban: the subject and the length; does not block
  RedisClaimBudget(
      RedisClient redis,
      ClaimBudget.Config config,
      Supplier<String> nonces,
      BiConsumer<String, Duration> bans) {
    this.redis = redis;
    this.attempts = new ClaimAttemptScript(redis);
    this.misses = new ClaimMissScript(redis);
    this.nonces = nonces;
    this.bans = bans;
    this.address =
        new Rule(
            config.perMinute(),
            Duration.ofMinutes(1),
            missed(config, ClaimBudget.Config.ADDRESS_TIMES));
    this.device = new Rule(config.perDay(), Duration.ofDays(1), missed(config, 1));
    // The name is no proof, so that nobody is banned by it.
    this.name = new Rule(config.perDay(), Duration.ofDays(1), ClaimMissScript.Rule.NONE);
    this.order = new Rule(config.perOrder(), Duration.ofHours(1), ClaimMissScript.Rule.NONE);
  }

  private static ClaimMissScript.Rule missed(ClaimBudget.Config config, int times) {
    return new ClaimMissScript.Rule(
        config.misses() * times,
        MISS_WINDOW,
        config.banAfter() * times,
        BAN_WINDOW,
        config.banFor());
  }

  @Override
  public Permit take(Attempt attempt) {
    String id = nonces.get();
    List<ClaimKeys> subjects = budgets(attempt);
    List<Future<BudgetReply>> asked = new ArrayList<>();
    try {
      return take(attempt, subjects, id, asked);
    } catch (RuntimeException e) {
      // Some budgets may have counted it, or count it now.
      var _ = Future.join(asked).otherwiseEmpty().await();
      giveBack(subjects, id);
      throw e;
    }
  }

  /// @param asked gets what was asked for
  private Permit take(
      Attempt attempt, List<ClaimKeys> subjects, String id, List<Future<BudgetReply>> asked) {
    List<Rule> rules = List.of(address, device, name, order);
    String missed = attempt.order().isEmpty() ? id : attempt.order();
    for (int i = 1; i < subjects.size(); i++) {
      asked.add(attempts.run(subjects.get(i), rules.get(i), id, missed, false));
    }
    // The device goes first: one that never missed is not held to the misses of its address.
    boolean excused = asked.getFirst().await().word().equals("OK") && attempt.isKnown();
    asked.addFirst(attempts.run(subjects.getFirst(), address, id, missed, excused));
    Permit permit = new Permit.Granted(id);
    List<ClaimKeys> taken = new ArrayList<>();
    for (int i = 0; i < asked.size(); i++) {
      BudgetReply verdict = asked.get(i).await();
      if (verdict.word().equals("NEWLY_BANNED")) {
        bans.accept(subjects.get(i).subject(), verdict.retryAfter());
      }
      Permit one = permit(verdict, id);
      if (one instanceof Permit.Granted) {
        taken.add(subjects.get(i));
      }
      permit = stricter(permit, one);
    }
    if (!(permit instanceof Permit.Granted)) {
      // A refusal by one limit must not use up the others, such as the one of the order.
      giveBack(taken, id);
    }
    return permit;
  }

  @Override
  public void giveBack(Attempt attempt, Permit.Granted granted) {
    giveBack(budgets(attempt), granted.name());
  }

  private void giveBack(List<ClaimKeys> subjects, String name) {
    List<Future<RedisReply>> sent =
        subjects.stream().map(keys -> redis.send("ZREM", keys.attempts(), name)).toList();
    try {
      for (Future<RedisReply> one : sent) {
        var _ = one.await();
      }
      givingBack.worked();
    } catch (RuntimeException e) {
      givingBack.waits(e);
    }
  }

  @Override
  public void miss(Attempt attempt) {
    String name = attempt.order().isEmpty() ? nonces.get() : attempt.order();
    List<Rule> rules = List.of(address, device);
    List<Future<BudgetReply>> replies = new ArrayList<>();
    List<ClaimKeys> subjects = subjects(attempt);
    for (int i = 0; i < subjects.size(); i++) {
      replies.add(misses.run(subjects.get(i), rules.get(i).misses(), name));
    }
    for (int i = 0; i < replies.size(); i++) {
      BudgetReply verdict = replies.get(i).await();
      if (verdict.word().equals("NEWLY_BANNED")) {
        bans.accept(subjects.get(i).subject(), verdict.retryAfter());
      }
    }
  }

  /// The subjects with limits of misses: address and device.
  private static List<ClaimKeys> subjects(Attempt attempt) {
    return List.of(ClaimKeys.ofAddress(attempt.address()), ClaimKeys.ofDevice(attempt.device()));
  }

  /// The subjects with limits of attempts: address, device, name, and the order that counts it.
  private static List<ClaimKeys> budgets(Attempt attempt) {
    List<ClaimKeys> all = new ArrayList<>(subjects(attempt));
    all.add(ClaimKeys.ofName(attempt.name()));
    if (attempt.signed()) {
      all.add(ClaimKeys.ofOrder(attempt.order()));
    }
    return all;
  }

  private static Permit permit(BudgetReply verdict, String name) {
    return switch (verdict.word()) {
      case "OK", "OK_AFTER_MISSES" -> new Permit.Granted(name);
      case "LIMITED", "MISSED" -> new Permit.Limited(verdict.retryAfter());
      case "BANNED", "NEWLY_BANNED" -> new Permit.Banned(verdict.retryAfter());
      default -> throw new IllegalStateException("claim_attempt.lua returned " + verdict.word());
    };
  }

  /// The later end counts among equals; a ban counts more than a limit.
  private static Permit stricter(Permit one, Permit other) {
    int order = Integer.compare(rank(one), rank(other));
    if (order == 0) {
      order = retryAfter(one).compareTo(retryAfter(other));
    }
    return order >= 0 ? one : other;
  }

  private static int rank(Permit permit) {
    return switch (permit) {
      case Permit.Granted _ -> 0;
      case Permit.Limited _ -> 1;
      case Permit.Banned _ -> 2;
    };
  }

  private static Duration retryAfter(Permit permit) {
    return switch (permit) {
      case Permit.Granted _ -> Duration.ZERO;
      case Permit.Limited(Duration retryAfter) -> retryAfter;
      case Permit.Banned(Duration retryAfter) -> retryAfter;
    };
  }

  /// `claim_attempt.lua`: one attempt out of one subject's budget, many per run.
  static final class ClaimAttemptScript {
    private static final LuaScript SCRIPT =
        LuaScript.load(ClaimAttemptScript.class, "claim_attempt.lua");
    private static final int MAX_BATCH_SIZE = 128;
    private static final ScriptBatcher.Shared SHARED =
        new ScriptBatcher.Shared("claims", List.of(), List.of());

    private final ScriptBatcher batcher;

    ClaimAttemptScript(RedisClient redis) {
      this.batcher = new ScriptBatcher(redis, SCRIPT, MAX_BATCH_SIZE);
    }

    /// The limits of one subject.
    ///
    /// @param attempts allowed within `window`; 0 = unlimited
    /// @param misses limits of misses
    record Rule(int attempts, Duration window, ClaimMissScript.Rule misses) {}

    /// The script's reply.
    ///
    /// @param word the first word of the reply
    /// @param retryAfter the remaining time of the refusal
    record BudgetReply(String word, Duration retryAfter) {
      static BudgetReply of(String reply) {
        int space = reply.indexOf(' ');
        return space < 0
            ? new BudgetReply(reply, Duration.ZERO)
            : new BudgetReply(
                reply.substring(0, space),
                Duration.ofMillis(Long.parseLong(reply.substring(space + 1))));
      }
    }

    /// @param name unique name of this attempt
    /// @param missed member for a refusal that counts as a miss; a repeat with the same member
    ///   counts once
    /// @param excused whether the subject's misses and ban are ignored this time
    Future<BudgetReply> run(
        ClaimKeys keys, Rule rule, String name, String missed, boolean excused) {
      return batcher
          .call(
              SHARED,
              new ScriptBatcher.Item(
                  List.of(keys.attempts(), keys.misses(), keys.ban()),
                  List.of(
                      Integer.toString(rule.attempts()),
                      Long.toString(rule.window().toMillis()),
                      Integer.toString(rule.misses().allowed()),
                      Long.toString(rule.misses().window().toMillis()),
                      Integer.toString(rule.misses().banAfter()),
                      Long.toString(rule.misses().banWindow().toMillis()),
                      Long.toString(rule.misses().banFor().toMillis()),
                      name,
                      missed,
                      excused ? "1" : "0")))
          .map(BudgetReply::of);
    }
  }

  /// `claim_miss.lua`: one miss of one subject, many per run.
  static final class ClaimMissScript {
    private static final LuaScript SCRIPT = LuaScript.load(ClaimMissScript.class, "claim_miss.lua");
    private static final int MAX_BATCH_SIZE = 128;
    private static final ScriptBatcher.Shared SHARED =
        new ScriptBatcher.Shared("claims", List.of(), List.of());

    private final ScriptBatcher batcher;

    ClaimMissScript(RedisClient redis) {
      this.batcher = new ScriptBatcher(redis, SCRIPT, MAX_BATCH_SIZE);
    }

    /// The limits of misses.
    ///
    /// @param allowed within `window`, before attempts are refused; 0 = unlimited
    /// @param banAfter misses within `banWindow` that ban for `banFor`; 0 = never
    record Rule(int allowed, Duration window, int banAfter, Duration banWindow, Duration banFor) {
      /// Misses that lead to nothing.
      static final Rule NONE =
          new Rule(0, Duration.ofHours(1), 0, Duration.ofHours(1), Duration.ofHours(1));
    }

    /// @param name of this miss; a second one of the same name is the same miss
    Future<ClaimAttemptScript.BudgetReply> run(ClaimKeys keys, Rule rule, String name) {
      return batcher
          .call(
              SHARED,
              new ScriptBatcher.Item(
                  List.of(keys.misses(), keys.ban()),
                  List.of(
                      Integer.toString(rule.banAfter()),
                      Long.toString(rule.banWindow().toMillis()),
                      Long.toString(rule.banFor().toMillis()),
                      name)))
          .map(ClaimAttemptScript.BudgetReply::of);
    }
  }
}
