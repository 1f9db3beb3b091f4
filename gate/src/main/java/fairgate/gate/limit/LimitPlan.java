package fairgate.gate.limit;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import fairgate.gate.limit.LimitRule.Dimension;
import fairgate.gate.limit.LimitScript.RuleNumbers;
import fairgate.gate.limit.LimitVerdict.Refused;
import fairgate.gate.limit.LimitVerdict.Violation;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/// The limits of one kind of call. Made by [Limiter#plan]; follows changes of the policy.
public final class LimitPlan {
  private final String route;
  private final List<String> names;
  private volatile @Nullable Resolved resolved;

  private record Resolved(Policy policy, List<LimitRule> rules, Set<Dimension> needs) {}

  LimitPlan(String route, List<String> names) {
    this.route = route;
    this.names = List.copyOf(names);
  }

  /// The route's name in keys.
  String route() {
    return route;
  }

  List<LimitRule> rules(Policy policy) {
    return resolved(policy).rules();
  }

  Set<Dimension> needs(Policy policy) {
    return resolved(policy).needs();
  }

  private Resolved resolved(Policy policy) {
    Resolved known = resolved;
    if (known == null || !known.policy().equals(policy)) {
      List<LimitRule> rules = names.stream().map(policy::rule).filter(Objects::nonNull).toList();
      Set<Dimension> needs = EnumSet.noneOf(Dimension.class);
      rules.forEach(rule -> needs.add(rule.dimension()));
      known = new Resolved(policy, rules, needs);
      resolved = known;
    }
    return known;
  }

  /// One version of all limits, with this node's cached refusals under it. A new version is a new
  /// object, so no cached refusal outlives its limits. Answers in flight go to the old object,
  /// which is no longer read.
  static final class Policy {
    private final Map<String, LimitRule> rules;
    private final Map<String, RuleNumbers> numbers;
    private final RefusalCache refusals = new RefusalCache();

    Policy(List<LimitRule> rules) {
      this.rules = rules.stream().collect(Collectors.toMap(LimitRule::name, Function.identity()));
      this.numbers = rules.stream().collect(Collectors.toMap(LimitRule::name, RuleNumbers::of));
    }

    /// The limit of this name; null when it is off.
    @Nullable LimitRule rule(String name) {
      return rules.get(name);
    }

    RuleNumbers numbers(LimitRule rule) {
      return Objects.requireNonNull(numbers.get(rule.name()), "not a limit of this policy");
    }

    RefusalCache refusals() {
      return refusals;
    }
  }

  /// Caches refusals by route: a flood costs neither Redis nor a new reply.
  ///
  /// A refusal is cached until the first of its limits lets a call pass or its whole seconds to
  /// wait change, at most a quarter of a second: calls may be given back, and Redis may be emptied
  /// or its clock moved. The time starts before Redis is asked, so it ends no later than in Redis.
  /// All clients that get a cached refusal see the same `decision_id`. Times are
  /// `System.nanoTime()`.
  static final class RefusalCache {
    private static final int MAX_REFUSALS = 20_000;
    private static final long MAX_LIFE = TimeUnit.MILLISECONDS.toNanos(250);
    private static final long SECOND = TimeUnit.SECONDS.toNanos(1);

    private final Cache<Refusable, CachedRefusal> refusals =
        Caffeine.newBuilder().maximumSize(MAX_REFUSALS).build();

    private sealed interface Refusable {
      /// All calls from an address; with an account only those of the account, without one only
      /// those of guests.
      record Address(LimitPlan plan, String ip, @Nullable String account) implements Refusable {}

      /// Calls that count in exactly these limits, such as those of one browser.
      record Limits(LimitPlan plan, LimitCheck check) implements Refusable {}
    }

    private record CachedRefusal(Refused refused, long until) {}

    /// The cached refusal of all calls from an address; null when there is none.
    ///
    /// @param ip as in [LimitFacts]
    /// @param account null for the guests at the address
    @Nullable Refused find(
        LimitPlan plan, @Nullable String ip, @Nullable String account, long now) {
      return ip == null ? null : find(new Refusable.Address(plan, ip, account), now);
    }

    /// The cached refusal of a call with these limits; null when there is none.
    @Nullable Refused find(LimitPlan plan, LimitCheck check, long now) {
      return find(new Refusable.Limits(plan, check.withoutNonce()), now);
    }

    private @Nullable Refused find(Refusable calls, long now) {
      CachedRefusal cached = refusals.getIfPresent(calls);
      return cached != null && now - cached.until() < 0 ? cached.refused() : null;
    }

    /// Caches a refusal, except of callers on the allow-list, who have no address here.
    ///
    /// @param since when the limits were asked
    void note(LimitPlan plan, LimitFacts facts, LimitCheck check, Refused refused, long since) {
      String ip = facts.ip();
      if (ip == null) {
        return;
      }
      long life = MAX_LIFE;
      boolean coversAddress = true;
      for (Violation violation : refused.violations()) {
        long wait = violation.waitNanos();
        life = Math.min(life, wait - (Math.ceilDiv(wait, SECOND) - 1) * SECOND);
        coversAddress &= violation.rule().dimension().coversAddress();
      }
      refusals.put(
          coversAddress
              ? new Refusable.Address(plan, ip, facts.account())
              : new Refusable.Limits(plan, check.withoutNonce()),
          new CachedRefusal(refused, since + life));
    }
  }
}
