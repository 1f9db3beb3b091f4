package fairgate.gate.policy;

import static fairgate.gate.policy.PolicyWorld.compiled;
import static org.assertj.core.api.Assertions.assertThat;

import fairgate.TestEngines;
import fairgate.gate.risk.BuiltInBundle;
import fairgate.gate.risk.CompiledBundle;
import fairgate.gate.risk.Feature;
import fairgate.gate.risk.Features;
import fairgate.platform.postgres.PostgresDatabase;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class DecisionReplayTest {
  /// The measured figure is for a million: `-Dfairgate.replay=1000000`.
  private static final int DECISIONS = Integer.getInteger("fairgate.replay", 20_000);

  @SuppressWarnings("NullAway.Init")
  private PolicyWorld world;

  @BeforeEach
  void open() {
    world = new PolicyWorld(TestEngines.shared());
  }

  @AfterEach
  void close() {
    world.close();
  }

  private PostgresDatabase database() {
    return world.books().database();
  }

  private DecisionReplay replay() {
    return new DecisionReplay(new RecordedDecisions(database()));
  }

  private static CompiledBundle builtIn() {
    return compiled(BuiltInBundle.json());
  }

  /// Features of a client, with about a third of all values set.
  private static Features random(int number) {
    Random random = new Random(number);
    Features.Builder features = Features.builder();
    for (Feature feature : features.schema().features()) {
      if (random.nextInt(3) == 0) {
        switch (feature.type()) {
          case LONG -> features.set(feature, (long) random.nextInt(200));
          case BOOLEAN -> features.set(feature, true);
          case DOUBLE -> features.set(feature, random.nextDouble());
          case STRING -> features.set(feature, "w" + random.nextInt(5));
        }
      }
    }
    return features.build();
  }

  @Test
  void everyDecisionIsComputedAgainBitByBit() {
    DecisionFixture.record(database(), builtIn(), DECISIONS, DecisionReplayTest::random, _ -> "");
    DecisionReplay replay = replay();
    long start = System.nanoTime();
    DecisionReplay.Summary summary = replay.range(RecordedDecisions.Range.all());
    System.out.printf(
        "replayed %d decisions in %.1f s%n", DECISIONS, (System.nanoTime() - start) / 1e9);
    assertThat(summary.decisions()).isEqualTo(DECISIONS);
    assertThat(summary.different()).isZero();
  }

  @Test
  void aRecordThatWasChangedIsFound() {
    DecisionFixture.record(database(), builtIn(), 100, DecisionReplayTest::random, _ -> "");
    for (String change :
        new String[] {
          "SET score = score + 1 WHERE id = 'd0000003'",
          "SET reasons = '{}' WHERE id = (SELECT min(id) FROM risk_decisions"
              + " WHERE cardinality(reasons) > 0)",
          "SET action = CASE action WHEN 'hold' THEN 'pass' ELSE 'hold' END WHERE id = 'd0000005'",
          "SET features = '\\xff' WHERE id = 'd0000007'"
        }) {
      var _ = database().tx(db -> db.update("UPDATE risk_decisions " + change));
    }
    DecisionReplay.Summary summary = replay().range(RecordedDecisions.Range.all());
    assertThat(summary.different()).isBetween(3L, 4L);
    assertThat(summary.named()).contains("d0000003", "d0000005", "d0000007");
  }

  @Test
  void oneDecisionIsExplained() {
    DecisionFixture.record(database(), builtIn(), 10, DecisionReplayTest::random, _ -> "");
    DecisionReplay.Replayed one = replay().one("d0000004").orElseThrow();
    assertThat(one.isIdentical()).isTrue();
    String explained = String.join("\n", DecisionExplanation.lines(one));
    assertThat(explained)
        .contains("d0000004", "identical", "score " + one.recorded().score())
        .contains(one.recorded().reasons().getFirst().split(":", 2)[0]);
    assertThat(replay().one("nothing")).isEmpty();
  }
}
