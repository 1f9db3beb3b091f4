package fairgate.gate.limit;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import fairgate.gate.limit.LimitVerdict.Refused;
import fairgate.gate.limit.LimitVerdict.Violation;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/// Caches refusals by route: a flood costs neither Redis nor a new reply.
///
/// A refusal is cached until the first of its limits lets a call pass or its whole seconds to wait
/// change, at most a quarter of a second: calls may be given back, and Redis may be emptied or its
/// clock moved. The time starts before Redis is asked, so it ends no later than in Redis. All
/// clients that get a cached refusal see the same `decision_id`. Times are `System.nanoTime()`.
final class RefusalCache {
  private static final int MAX_REFUSALS = 20_000;
  private static final long MAX_LIFE = TimeUnit.MILLISECONDS.toNanos(250);
  private static final long SECOND = TimeUnit.SECONDS.toNanos(1);

  private final Cache<Refusable, CachedRefusal> refusals =
      Caffeine.newBuilder().maximumSize(MAX_REFUSALS).build();

  /// The calls that a refusal applies to.
  private sealed interface Refusable {
    /// All calls from an address; with an account only those of the account, without one only those
    /// of guests.
    record Address(LimitPlan plan, String ip, @Nullable String account) implements Refusable {}

    /// Calls that count in exactly these limits, such as those of one browser.
    record Limits(LimitPlan plan, LimitCheck check) implements Refusable {}
  }

  private record CachedRefusal(Refused refused, long until) {}

  /// The cached refusal of all calls from an address; null when there is none.
  ///
  /// @param ip as in [LimitFacts]
  /// @param account null for the guests at the address
  @Nullable Refused find(LimitPlan plan, @Nullable String ip, @Nullable String account, long now) {
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
