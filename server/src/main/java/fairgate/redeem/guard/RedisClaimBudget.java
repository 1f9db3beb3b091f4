package fairgate.redeem.guard;

import fairgate.kernel.Ids;
import fairgate.platform.redis.RedisClient;
import fairgate.redeem.guard.AttemptScript.Rule;
import fairgate.redeem.guard.AttemptScript.Verdict;
import io.vertx.core.Future;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/// Budgets in Redis, shared by all nodes.
final class RedisClaimBudget implements ClaimBudget {
  private static final Duration MISS_WINDOW = Duration.ofHours(1);
  private static final Duration BAN_WINDOW = Duration.ofDays(1);

  private final AttemptScript attempts;
  private final MissScript misses;
  private final Ids ids;
  private final ClaimBans bans;
  private final Rule address;
  private final Rule device;
  private final Rule order;

  RedisClaimBudget(RedisClient redis, BudgetConfig config, Ids ids, ClaimBans bans) {
    this.attempts = new AttemptScript(redis);
    this.misses = new MissScript(redis);
    this.ids = ids;
    this.bans = bans;
    MissScript.Rule missed =
        new MissScript.Rule(
            config.misses(), MISS_WINDOW, config.banAfter(), BAN_WINDOW, config.banFor());
    this.address = new Rule(config.perMinute(), Duration.ofMinutes(1), missed);
    this.device = new Rule(config.perDay(), Duration.ofDays(1), missed);
    this.order = new Rule(config.perOrder(), Duration.ofHours(1), MissScript.Rule.NONE);
  }

  @Override
  public Permit take(Attempt attempt) {
    String name = ids.nonce();
    List<ClaimKeys> subjects = subjects(attempt);
    List<Future<Verdict>> asked = new ArrayList<>();
    asked.add(attempts.run(subjects.get(0), address, name));
    asked.add(attempts.run(subjects.get(1), device, name));
    if (!attempt.order().isEmpty()) {
      asked.add(attempts.run(ClaimKeys.ofOrder(attempt.order()), order, name));
    }
    Permit permit = new Permit.Granted();
    for (int i = 0; i < asked.size(); i++) {
      Verdict verdict = asked.get(i).await();
      if (verdict.word().equals("NEWLY_BANNED")) {
        bans.record(subjects.get(i).subject(), verdict.rest());
      }
      permit = stricter(permit, permit(verdict));
    }
    return permit;
  }

  @Override
  public void miss(Attempt attempt) {
    String name = ids.nonce();
    List<Future<Verdict>> told = new ArrayList<>();
    List<ClaimKeys> subjects = subjects(attempt);
    for (ClaimKeys subject : subjects) {
      told.add(misses.run(subject, address.misses(), name));
    }
    for (int i = 0; i < told.size(); i++) {
      Verdict verdict = told.get(i).await();
      if (verdict.word().equals("NEWLY_BANNED")) {
        bans.record(subjects.get(i).subject(), verdict.rest());
      }
    }
  }

  private static List<ClaimKeys> subjects(Attempt attempt) {
    return List.of(ClaimKeys.ofAddress(attempt.address()), ClaimKeys.ofDevice(attempt.device()));
  }

  private static Permit permit(Verdict verdict) {
    return switch (verdict.word()) {
      case "OK" -> new Permit.Granted();
      case "LIMITED", "MISSED" -> new Permit.Limited(verdict.rest());
      case "BANNED", "NEWLY_BANNED" -> new Permit.Banned(verdict.rest());
      default -> throw new IllegalStateException("attempt.lua said " + verdict.word());
    };
  }

  /// The later end counts among equals; a ban counts more than a limit.
  private static Permit stricter(Permit one, Permit other) {
    int order = Integer.compare(rank(one), rank(other));
    if (order == 0) {
      order = rest(one).compareTo(rest(other));
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

  private static Duration rest(Permit permit) {
    return switch (permit) {
      case Permit.Granted _ -> Duration.ZERO;
      case Permit.Limited(Duration rest) -> rest;
      case Permit.Banned(Duration rest) -> rest;
    };
  }
}
