package fairgate.gate.limit;

import static org.assertj.core.api.Assertions.assertThat;

import fairgate.gate.limit.LimitRule.OnFailure;
import fairgate.gate.limit.LimitRule.Semantics;
import fairgate.gate.limit.LimitVerdict.Refused;
import fairgate.gate.limit.LimitVerdict.Violation;
import fairgate.kernel.ErrorCode;
import fairgate.platform.http.Refusal;
import fairgate.platform.http.Reply;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

/// A refusal is told again as long as it says the truth, and not longer.
class RefusalCacheTest {
  private static final long ADDRESS = 7;
  private static final Reply REPLY = Reply.refuse(Refusal.of(ErrorCode.RATE_LIMIT_EXCEEDED));

  private final AtomicLong now = new AtomicLong(-5_000_000_000L);
  private final RefusalCache standings = new RefusalCache(now::get);
  private final Policy policy = new Policy(List.of());
  private final LimitPlan plan = new LimitPlan("GET/", List.of());

  private static Violation violation(Dimension dimension, long waitMillis) {
    LimitRule rule = new LimitRule("r", dimension, Semantics.RATE, 5, 1, 5, OnFailure.LOCAL_SHARE);
    return new Violation(rule, TimeUnit.MILLISECONDS.toNanos(waitMillis));
  }

  private void note(Violation... violations) {
    standings.note(
        plan, ADDRESS, null, policy, new Refused(Arrays.asList(violations)), REPLY, now.get());
  }

  private boolean stands() {
    return standings.find(plan, ADDRESS, null, policy) != null;
  }

  private void pass(long millis) {
    now.addAndGet(TimeUnit.MILLISECONDS.toNanos(millis));
  }

  @Test
  void endsWhenTheFirstLimitLetsACallPass() {
    note(violation(Dimension.IP, 120), violation(Dimension.NETWORK, 200));
    pass(119);
    assertThat(stands()).isTrue();
    pass(1);
    assertThat(stands()).isFalse();
  }

  @Test
  void endsWhenItsSecondsAreOneLess() {
    note(violation(Dimension.IP, 3_040));
    pass(39);
    assertThat(stands()).as("4 seconds to wait").isTrue();
    pass(1);
    assertThat(stands()).as("3 seconds to wait").isFalse();
  }

  @Test
  void endsAfterAQuarterOfASecondAtTheLatest() {
    note(violation(Dimension.IP, 60_000));
    pass(249);
    assertThat(stands()).isTrue();
    pass(1);
    assertThat(stands()).isFalse();
  }

  @Test
  void isNotBelievedLongerThanWhatItIsMadeOf() {
    LimitRule rule = violation(Dimension.IP, 1).rule();
    note(new Violation(rule, 30_000_000_000L, 10_000_000));
    pass(9);
    assertThat(stands()).isTrue();
    pass(1);
    assertThat(stands()).isFalse();
  }

  @Test
  void holdsForOneAddressOneRouteAndOnePolicy() {
    note(violation(Dimension.GLOBAL, 200));
    assertThat(stands()).isTrue();
    assertThat(standings.find(plan, ADDRESS, "acc_1", policy)).as("a signed-in caller").isNull();
    assertThat(standings.find(plan, ADDRESS + 1, null, policy)).isNull();
    assertThat(standings.find(new LimitPlan("GET/", List.of()), ADDRESS, null, policy)).isNull();
    assertThat(standings.find(plan, ADDRESS, null, new Policy(List.of()))).isNull();
  }

  @Test
  void othersAtTheAddressMayFareBetterThanOnePerson() {
    note(violation(Dimension.IP, 200), violation(Dimension.USER, 200));
    assertThat(stands()).isFalse();
  }
}
