package fairgate.gate.limit;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import fairgate.gate.limit.LimitVerdict.Refused;
import fairgate.gate.limit.LimitVerdict.Violation;
import fairgate.platform.http.Reply;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/// Caches refusals, with their replies, by address, account and route: a flood gets the same reply
/// until the decision would change.
///
/// As exact as [Policy.DenialCache] and shorter: until the first limit in the way lets a call pass
/// or its whole seconds to wait change, at most a quarter of a second. All clients that get one
/// cached reply see the same `decision_id`.
final class RefusalCache {
  private static final int MOST = 20_000;
  private static final long LONGEST = TimeUnit.MILLISECONDS.toNanos(250);
  private static final long SECOND = TimeUnit.SECONDS.toNanos(1);

  private final LongSupplier nanos;
  private final Cache<Requester, CachedRefusal> byAsker =
      Caffeine.newBuilder().maximumSize(MOST).build();

  private record Requester(LimitPlan plan, long address, @Nullable String account) {}

  /// @param until by `nanos`
  record CachedRefusal(Policy policy, Refused refused, Reply reply, long until) {}

  /// @param nanos `System.nanoTime`, or a test's
  RefusalCache(LongSupplier nanos) {
    this.nanos = nanos;
  }

  long now() {
    return nanos.getAsLong();
  }

  /// The cached refusal of a caller under this policy; null when there is none.
  ///
  /// @param account null for the guests at the address
  @Nullable CachedRefusal find(
      LimitPlan plan, long address, @Nullable String account, Policy policy) {
    CachedRefusal refusal = byAsker.getIfPresent(new Requester(plan, address, account));
    return refusal != null && refusal.policy() == policy && nanos.getAsLong() < refusal.until()
        ? refusal
        : null;
  }

  /// Caches a refusal, unless other clients of the address and account may be granted.
  ///
  /// @param since when the limits were asked
  void note(
      LimitPlan plan,
      long address,
      @Nullable String account,
      Policy policy,
      Refused refused,
      Reply reply,
      long since) {
    long life = LONGEST;
    for (Violation violation : refused.violations()) {
      if (!violation.rule().dimension().coversAddress()) {
        return;
      }
      long wait = violation.waitNanos();
      life = Math.min(life, violation.sureNanos());
      life = Math.min(life, wait - (Math.ceilDiv(wait, SECOND) - 1) * SECOND);
    }
    byAsker.put(
        new Requester(plan, address, account),
        new CachedRefusal(policy, refused, reply, since + life));
  }
}
