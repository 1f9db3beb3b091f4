package fairgate.gate.limit;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import fairgate.gate.limit.LimitVerdict.Refused;
import fairgate.gate.limit.LimitVerdict.Violation;
import fairgate.platform.http.Reply;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/// Refusals that hold for all that one address asks of one route for the moment, with the reply
/// that says so: a flood gets the same answer until that would be another one.
///
/// Exact like [Denials], and shorter: until the first of the limits in the way lets a call pass, or
/// its seconds to wait are one less, at most a quarter of a second. A reply tells one decision, so
/// all who get it are told the same `decision_id`.
final class Standings {
  private static final int MOST = 20_000;
  private static final long LONGEST = TimeUnit.MILLISECONDS.toNanos(250);
  private static final long SECOND = TimeUnit.SECONDS.toNanos(1);

  private final LongSupplier nanos;
  private final Cache<Asker, Standing> byAsker = Caffeine.newBuilder().maximumSize(MOST).build();

  private record Asker(LimitPlan plan, long address) {}

  /// @param until by `nanos`
  record Standing(Policy policy, Refused refused, Reply reply, long until) {}

  /// @param nanos `System.nanoTime`, or a test's
  Standings(LongSupplier nanos) {
    this.nanos = nanos;
  }

  long now() {
    return nanos.getAsLong();
  }

  /// What stands against an address under this policy; null when nothing is known.
  @Nullable Standing find(LimitPlan plan, long address, Policy policy) {
    Standing standing = byAsker.getIfPresent(new Asker(plan, address));
    return standing != null && standing.policy() == policy && nanos.getAsLong() < standing.until()
        ? standing
        : null;
  }

  /// Keeps a refusal, unless others at the address may fare better.
  ///
  /// @param since when the limits were asked
  void note(LimitPlan plan, long address, Policy policy, Refused refused, Reply reply, long since) {
    long life = LONGEST;
    for (Violation violation : refused.violations()) {
      if (!violation.rule().dimension().coversAddress()) {
        return;
      }
      long wait = violation.waitNanos();
      life = Math.min(life, violation.sureNanos());
      life = Math.min(life, wait - (Math.ceilDiv(wait, SECOND) - 1) * SECOND);
    }
    byAsker.put(new Asker(plan, address), new Standing(policy, refused, reply, since + life));
  }
}
