package fairgate.gate.limit;

import static org.assertj.core.api.Assertions.assertThat;

import fairgate.gate.limit.LimitPlan.Policy;
import fairgate.gate.limit.LimitPlan.RefusalCache;
import fairgate.gate.limit.LimitRule.Dimension;
import fairgate.gate.limit.LimitRule.OnFailure;
import fairgate.gate.limit.LimitRule.Semantics;
import fairgate.gate.limit.LimitVerdict.Refused;
import fairgate.gate.limit.LimitVerdict.Violation;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/// A refusal is repeated as long as it is true, and not longer.
class RefusalCacheTest {
  private static final String IP = "203.0.113.9";

  private final RefusalCache cache = new RefusalCache();
  private final Policy policy = new Policy(List.of());
  private final LimitPlan plan = new LimitPlan("GET/", List.of());
  private final LimitFacts guest = LimitWorld.from(IP);
  private long now = -5_000_000_000L;

  private static Violation violation(Dimension dimension, long waitMillis) {
    LimitRule rule = new LimitRule("r", dimension, Semantics.RATE, 5, 1, 5, OnFailure.LOCAL_SHARE);
    return new Violation(rule, TimeUnit.MILLISECONDS.toNanos(waitMillis));
  }

  private void note(Violation... violations) {
    Refused refused = new Refused(Arrays.asList(violations));
    cache.note(plan, guest, LimitCheck.of(policy, plan, guest), refused, now);
  }

  private boolean isCached() {
    return cache.find(plan, IP, null, now) != null;
  }

  private void pass(long millis) {
    now += TimeUnit.MILLISECONDS.toNanos(millis);
  }

  @Test
  void endsWhenTheFirstLimitLetsACallPass() {
    note(violation(Dimension.IP, 120), violation(Dimension.NETWORK, 200));
    pass(119);
    assertThat(isCached()).isTrue();
    pass(1);
    assertThat(isCached()).isFalse();
  }

  @Test
  void endsWhenItsSecondsAreOneLess() {
    note(violation(Dimension.IP, 3_040));
    pass(39);
    assertThat(isCached()).as("4 seconds to wait").isTrue();
    pass(1);
    assertThat(isCached()).as("3 seconds to wait").isFalse();
  }

  @Test
  void endsAfterAQuarterOfASecondAtTheLatest() {
    note(violation(Dimension.IP, 60_000));
    pass(249);
    assertThat(isCached()).isTrue();
    pass(1);
    assertThat(isCached()).isFalse();
  }

  @Test
  void holdsForOneAddressAndOneRoute() {
    note(violation(Dimension.GLOBAL, 200));
    assertThat(isCached()).isTrue();
    assertThat(cache.find(plan, IP, "acc_1", now)).as("a signed-in caller").isNull();
    assertThat(cache.find(plan, "203.0.113.8", null, now)).isNull();
    assertThat(cache.find(plan, null, null, now)).as("the allow-list").isNull();
    assertThat(cache.find(new LimitPlan("GET/", List.of()), IP, null, now)).isNull();
  }

  @Test
  void othersAtTheAddressMayFareBetterThanOnePerson() {
    LimitRule user = new LimitRule("user", Dimension.USER, Semantics.RATE, 5, 1, 5, OnFailure.OPEN);
    Policy users = new Policy(List.of(user));
    LimitPlan byUser = new LimitPlan("POST/", List.of("user"));
    LimitFacts ann = guest.withUser("ann");
    Refused refused =
        new Refused(List.of(violation(Dimension.IP, 200), violation(Dimension.USER, 200)));
    cache.note(byUser, ann, LimitCheck.of(users, byUser, ann), refused, now);
    assertThat(cache.find(byUser, IP, null, now)).isNull();
    assertThat(cache.find(byUser, LimitCheck.of(users, byUser, ann), now)).isSameAs(refused);
    LimitCheck other = LimitCheck.of(users, byUser, guest.withUser("ben"));
    assertThat(cache.find(byUser, other, now)).isNull();
  }
}
