package fairgate.gate.limit;

import static org.assertj.core.api.Assertions.assertThat;

import fairgate.gate.limit.LimitRule.OnFailure;
import fairgate.gate.limit.LimitRule.Semantics;
import fairgate.gate.limit.LimitScript.Terms;
import fairgate.gate.limit.LimitVerdict.Violation;
import java.util.ArrayList;
import java.util.List;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.EdgeCasesMode;
import net.jqwik.api.Example;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.statistics.Statistics;

/// What a node counts by itself against the definition, to the microsecond.
final class OwnRatesTest {
  private static final long SECOND = 1_000_000;

  private final OwnRates own = new OwnRates();

  /// One step of a run.
  ///
  /// @param micros time that passes before it
  /// @param which of the limits it counts in, as bits
  /// @param givenBack whether the call does not happen after all
  record Step(long micros, int which, boolean givenBack) {}

  private static LimitRule rate(String name, int most, int seconds, int burst) {
    return new LimitRule(
        name, Dimension.IP, Semantics.RATE, most, seconds, burst, OnFailure.LOCAL_SHARE);
  }

  @Property(tries = 500, edgeCases = EdgeCasesMode.NONE)
  void aNodeAdmitsWhatTheDefinitionDoes(
      @ForAll("rules") List<LimitRule> rules,
      @ForAll("steps") List<Step> steps,
      @ForAll("beginnings") long beginning) {
    var tried = new Tried(new OwnRates(), new Policy(rules));
    List<LimitDefinition> all = rules.stream().map(LimitDefinition::new).toList();
    long now = beginning;
    for (Step step : steps) {
      now += step.micros();
      List<LimitDefinition> limits = new ArrayList<>();
      for (int i = 0; i < all.size(); i++) {
        if ((step.which() >> i & 1) == 1 || all.size() == 1) {
          limits.add(all.get(i));
        }
      }
      step(tried, limits, now, step.givenBack());
    }
  }

  private record Tried(OwnRates own, Policy policy) {}

  private static void step(Tried tried, List<LimitDefinition> limits, long now, boolean givenBack) {
    List<LimitRule> rules = limits.stream().map(LimitDefinition::rule).toList();
    String[] keys = rules.stream().map(LimitRule::name).toArray(String[]::new);
    List<Violation> against = tried.own.take(tried.policy, rules, keys, now * 1_000 + 999);
    List<Violation> should = new ArrayList<>();
    for (LimitDefinition limit : limits) {
      if (!limit.admits(now)) {
        should.add(new Violation(limit.rule(), limit.waits(now) * 1_000));
      }
    }
    assertThat(against).isEqualTo(should);
    Statistics.label("granted").collect(against.isEmpty());
    if (against.isEmpty() && givenBack) {
      tried.own.giveBack(tried.policy, rules, keys, now * 1_000);
    } else if (against.isEmpty()) {
      limits.forEach(limit -> limit.admit(now));
    }
  }

  @Provide
  Arbitrary<List<LimitRule>> rules() {
    Arbitrary<Integer> most = Arbitraries.integers().between(1, 12);
    Arbitrary<Integer> seconds = Arbitraries.of(1, 1, 1, 3, 7);
    Arbitrary<LimitRule> rate =
        Combinators.combine(
                most,
                seconds,
                Arbitraries.integers().between(1, 12),
                Arbitraries.integers().between(0, 1 << 30))
            .as((m, s, b, name) -> rate("r" + name, m * s, s, Math.min(b, m)));
    return rate.list().ofMinSize(1).ofMaxSize(3).uniqueElements(LimitRule::name);
  }

  @Provide
  Arbitrary<List<Step>> steps() {
    Arbitrary<Long> micros =
        Arbitraries.oneOf(
            Arbitraries.just(0L),
            Arbitraries.longs().between(0, SECOND / 10),
            Arbitraries.longs().between(0, SECOND),
            Arbitraries.longs().between(0, 3 * SECOND));
    return Combinators.combine(
            micros, Arbitraries.integers().between(1, 7), Arbitraries.of(false, false, true))
        .as(Step::new)
        .list()
        .ofMinSize(10)
        .ofMaxSize(60);
  }

  @Provide
  Arbitrary<Long> beginnings() {
    return Arbitraries.longs().between(-5 * SECOND, 5 * SECOND);
  }

  @Example
  void onlyWhatIsOverWithinASecondIsCountedHere() {
    assertThat(OwnRates.counts(Terms.of(rate("a", 5, 1, 5)))).isTrue();
    assertThat(OwnRates.counts(Terms.of(rate("a", 300, 1, 300)))).isTrue();
    assertThat(OwnRates.counts(Terms.of(rate("a", 5, 1, 6)))).isFalse();
    assertThat(OwnRates.counts(Terms.of(rate("a", 5, 60, 1)))).isFalse();
    assertThat(OwnRates.counts(Terms.of(LimitWorld.window(5, 1)))).isFalse();
  }

  @Example
  void whatIsNotCountedHereIsPassedOver() {
    LimitRule window = LimitWorld.window(1, 60);
    Policy policy = new Policy(List.of(window));
    for (int i = 0; i < 3; i++) {
      assertThat(own.take(policy, List.of(window), new String[] {"k"}, i)).isEmpty();
    }
    assertThat(own.size()).isZero();
  }

  @Example
  void memoryHoldsWhatTwoSecondsBring() {
    LimitRule rule = rate("a", 5, 1, 5);
    Policy policy = new Policy(List.of(rule));
    for (int i = 0; i < 100_000; i++) {
      long nanos = i * 1_000_000L;
      assertThat(own.take(policy, List.of(rule), new String[] {"k" + i}, nanos)).isEmpty();
      assertThat(own.size()).isLessThan(2_003);
    }
  }

  /// Under a stricter policy nothing owes more than can be owed.
  @Example
  void anotherPolicyIsMetWithWhatWasCounted() {
    LimitRule before = rate("a", 2, 1, 2);
    LimitRule after = rate("a", 100, 1, 10);
    assertThat(own.take(new Policy(List.of(before)), List.of(before), new String[] {"k"}, 0))
        .isEmpty();
    List<Violation> against =
        own.take(new Policy(List.of(after)), List.of(after), new String[] {"k"}, 0);
    assertThat(against).containsExactly(new Violation(after, 10_000_000));
  }
}
