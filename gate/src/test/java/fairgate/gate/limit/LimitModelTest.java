package fairgate.gate.limit;

import static org.assertj.core.api.Assertions.assertThat;

import fairgate.gate.limit.LimitRule.Semantics;
import fairgate.gate.limit.LimitScript.Answer;
import fairgate.gate.limit.LimitScript.Item;
import fairgate.gate.limit.LimitScript.Limit;
import java.util.ArrayList;
import java.util.List;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.EdgeCasesMode;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.statistics.Statistics;

/// The script against the definition, to the microsecond. jqwik prints the seed of every run.
final class LimitModelTest {
  private static final long SECOND = 1_000_000;

  /// One step of a run.
  ///
  /// @param micros time that passes before it
  /// @param wanted calls
  /// @param which of the limits they count in, as bits
  record Step(long micros, int wanted, int which) {}

  /// One limit, its key, and what should be.
  private record Reference(LimitDefinition definition, String key) {
    Reference(LimitRule rule) {
      this(new LimitDefinition(rule), LimitWorld.key());
    }

    LimitRule rule() {
      return definition.rule();
    }
  }

  private final LimitWorld world = new LimitWorld();

  /// Time passes: all that is remembered is older by so much.
  private void pass(Reference limit, long micros) {
    limit.definition().age(micros);
    if (world.send("EXISTS", limit.key()).number() == 0) {
      return;
    }
    if (limit.rule().semantics() == Semantics.WINDOW) {
      world.times(limit.key(), world.times(limit.key()).stream().map(t -> t - micros).toList());
    } else {
      String value = world.send("GET", limit.key()).text();
      int colon = value.indexOf(':');
      String rest = colon < 0 ? "" : value.substring(colon);
      world.set(limit.key(), world.idleAt(limit.key()) - micros + rest);
    }
  }

  @Property(tries = 60, edgeCases = EdgeCasesMode.NONE)
  void theScriptAdmitsWhatTheDefinitionDoes(
      @ForAll("rules") List<LimitRule> rules, @ForAll("steps") List<Step> steps) {
    List<Reference> all = rules.stream().map(Reference::new).toList();
    for (Step step : steps) {
      List<Reference> limits = new ArrayList<>();
      for (int i = 0; i < all.size(); i++) {
        pass(all.get(i), step.micros());
        if ((step.which() >> i & 1) == 1 || all.size() == 1) {
          limits.add(all.get(i));
        }
      }
      if (!limits.isEmpty()) {
        run(step.wanted(), limits);
      }
    }
  }

  private void run(int wanted, List<Reference> limits) {
    String clock = LimitWorld.key();
    Limit tells = LimitWorld.limit(LimitWorld.rate(1, 1, 1), clock);
    List<Limit> asked = limits.stream().map(l -> LimitWorld.limit(l.rule(), l.key())).toList();
    List<Answer> answers = world.ask(new Item(1, List.of(tells)), new Item(wanted, asked));
    long now = world.idleAt(clock) - SECOND;
    int granted = 0;
    while (granted < wanted && limits.stream().allMatch(limit -> limit.definition().admits(now))) {
      limits.forEach(limit -> limit.definition().admit(now));
      granted++;
    }
    Answer answer = answers.get(1);
    assertThat(answer.granted()).isEqualTo(granted);
    Statistics.label("granted").collect(granted == wanted ? "all" : granted == 0 ? "none" : "some");
    for (int i = 0; i < limits.size(); i++) {
      boolean inTheWay = granted < wanted && !limits.get(i).definition().admits(now);
      assertThat(answer.waitOf(i)).isEqualTo(inTheWay ? limits.get(i).definition().waits(now) : 0);
    }
  }

  @Provide
  Arbitrary<List<LimitRule>> rules() {
    Arbitrary<Integer> max = Arbitraries.integers().between(1, 12);
    Arbitrary<Integer> seconds = Arbitraries.of(1, 3, 7, 60);
    Arbitrary<Integer> burst = Arbitraries.integers().between(1, 12);
    Arbitrary<LimitRule> rate = Combinators.combine(max, seconds, burst).as(LimitWorld::rate);
    Arbitrary<LimitRule> window = Combinators.combine(max, seconds).as(LimitWorld::window);
    return Arbitraries.oneOf(rate, window).list().ofMinSize(1).ofMaxSize(3);
  }

  @Provide
  Arbitrary<List<Step>> steps() {
    Arbitrary<Long> micros =
        Arbitraries.oneOf(
            Arbitraries.just(0L),
            Arbitraries.longs().between(0, SECOND),
            Arbitraries.longs().between(0, 10 * SECOND),
            Arbitraries.longs().between(0, 90 * SECOND));
    return Combinators.combine(
            micros, Arbitraries.integers().between(1, 6), Arbitraries.integers().between(1, 7))
        .as(Step::new)
        .list()
        .ofMinSize(10)
        .ofMaxSize(25);
  }
}
