package fairgate.gate.policy;

import static org.assertj.core.api.Assertions.assertThat;

import fairgate.TestEngines;
import fairgate.gate.policy.RecordedDecisions.RecordedDecision;
import fairgate.gate.risk.CompiledBundle;
import fairgate.gate.risk.Features;
import fairgate.gate.risk.RiskEngine;
import fairgate.gate.risk.RiskEngine.Assessment;
import fairgate.platform.postgres.FreshDatabase;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import java.util.function.IntPredicate;
import org.junit.jupiter.api.Test;

class ModelTrainingTest {
  private static final int DECISIONS = 3_000;

  /// Everybody has 35 points, so the model decides about the seat behind at 50.
  private static final CompiledBundle BUNDLE =
      PolicyWorld.compiled(
          PolicyWorld.document("rules", PolicyWorld.rule("everybody", "true", 35)));

  /// Every third client is a program: it polls early, and its device key has several accounts.
  /// People do one or the other, too, but rarely both.
  private static boolean isProgram(int number) {
    return number % 3 == 0;
  }

  private static Features features(int number) {
    Random random = new Random(number);
    boolean program = isProgram(number);
    Features.Builder features = Features.builder();
    var schema = features.schema();
    features.set(
        schema.feature("polls_too_early"),
        (long) (program ? 5 + random.nextInt(9) : random.nextInt(9)));
    features.set(
        schema.feature("accounts_of_device_key"),
        (long) (program ? 2 + random.nextInt(5) : 1 + random.nextInt(3)));
    features.set(schema.feature("minutes_in_place"), (long) random.nextInt(500));
    features.set(schema.feature("has_cookie"), random.nextBoolean());
    return features.build();
  }

  private static List<RecordedDecision> decisions(IntPredicate isBot) {
    List<RecordedDecision> all = new ArrayList<>();
    for (int i = 0; i < DECISIONS; i++) {
      all.add(decision(i, features(i), isBot.test(i)));
    }
    return all;
  }

  private static RecordedDecision decision(int number, Features features, boolean isBot) {
    return new RecordedDecision(
        "d" + number,
        DecisionFixture.START.plusSeconds(number),
        "join",
        "7",
        BUNDLE.hash(),
        features,
        35,
        "medium",
        "silent_check",
        List.of(),
        List.of(),
        isBot ? OutcomeLabel.BOT : OutcomeLabel.HUMAN);
  }

  private static ModelTraining.Outcome train(IntPredicate isBot) {
    return new ModelTraining(BUNDLE).train(decisions(isBot), "trained 1");
  }

  @Test
  void aModelThatTellsBotsFromPeopleIsGivenOut() {
    ModelTraining.Outcome.Trained trained =
        (ModelTraining.Outcome.Trained) train(ModelTrainingTest::isProgram);
    TrainingReport report = trained.report();
    assertThat(report.quality().precision()).isGreaterThan(0.7);
    assertThat(report.quality().recall()).isGreaterThan(0.7);
    assertThat(report.quality().calibrationError()).isLessThan(0.1);
    assertThat(report.effect().botsStopped()).isGreaterThan(report.effect().humansHarmed());
    assertThat(String.join("\n", report.lines())).contains("precision ", "people harmed");
  }

  @Test
  void aBundleReadsTheModelAndGivesItsPoints() {
    ModelTraining.Outcome.Trained trained =
        (ModelTraining.Outcome.Trained) train(ModelTrainingTest::isProgram);
    String rules = PolicyWorld.document("with model", PolicyWorld.rule("everybody", "true", 35));
    String document =
        rules.stripTrailing().replaceFirst("}$", "") + ", \"model\": " + trained.model() + "}";
    CompiledBundle with = PolicyWorld.compiled(document);
    long harmed = 0;
    long stopped = 0;
    for (int i = DECISIONS * 4 / 5; i < DECISIONS; i++) {
      Assessment assessment = RiskEngine.assess(with, features(i));
      boolean behind = assessment.action().word().equals("seat_behind");
      harmed += behind && !isProgram(i) ? 1 : 0;
      stopped += behind && isProgram(i) ? 1 : 0;
    }
    assertThat(harmed).isEqualTo(trained.report().effect().humansHarmed());
    assertThat(stopped).isEqualTo(trained.report().effect().botsStopped());
    assertThat(Objects.requireNonNull(with.bundle().model()).name()).isEqualTo("trained 1");
  }

  /// Only programs send nothing: the absence would tell them from people, and must not.
  @Test
  void aModelLearnsFromMovementAndNothingFromItsAbsence() {
    String rule = PolicyWorld.rule("everybody", "true", 35);
    CompiledBundle bundle =
        PolicyWorld.compiled(
            PolicyWorld.document("rules", rule).replace("\"schema\": 1", "\"schema\": 2"));
    List<RecordedDecision> decisions = new ArrayList<>();
    Random random = new Random(44);
    for (int i = 0; i < DECISIONS; i++) {
      boolean bot = random.nextBoolean();
      boolean silent = bot && random.nextBoolean();
      Features features = silent ? Features.builder().build() : moved(i, bot ? 100 : 60);
      decisions.add(decision(i, features, bot));
    }
    ModelTraining.Outcome.Trained trained =
        (ModelTraining.Outcome.Trained) new ModelTraining(bundle).train(decisions, "moves");
    String document =
        PolicyWorld.document("with model", rule).replace("\"schema\": 1", "\"schema\": 2");
    CompiledBundle with =
        PolicyWorld.compiled(
            document.stripTrailing().replaceFirst("}$", "")
                + ", \"model\": "
                + trained.model()
                + "}");
    assertThat(RiskEngine.assess(with, moved(1, 100)).score()).isGreaterThan(45);
    assertThat(RiskEngine.assess(with, moved(2, 60)).score()).isLessThan(30);
    assertThat(RiskEngine.assess(with, Features.builder().build()).score()).isEqualTo(35);
  }

  private static Features moved(int number, int straightness) {
    Features.Builder features = Features.builder();
    var schema = features.schema();
    features.set(schema.feature("behavior_present"), true);
    features.set(schema.feature("pointer_moves"), 40L + number % 90);
    features.set(schema.feature("pointer_straightness"), (long) straightness - number % 9);
    return features.build();
  }

  @Test
  void aModelThatHarmsMorePeopleThanItStopsBotsIsRefused() {
    // In the newest fifth, people do what only programs did before.
    ModelTraining.Outcome outcome = train(i -> i < DECISIONS * 4 / 5 ? isProgram(i) : i % 20 == 0);
    assertThat(outcome).isInstanceOf(ModelTraining.Outcome.Refused.class);
    ModelTraining.Outcome.Refused refused = (ModelTraining.Outcome.Refused) outcome;
    assertThat(refused.reason()).isEqualTo("it harms more people than it stops bots");
    assertThat(refused.report().effect().humansHarmed()).isGreaterThan(50);
  }

  @Test
  void aModelWithoutEffectIsRefused() {
    ModelTraining.Outcome outcome = train(i -> new Random(i * 31L).nextInt(10) == 0);
    assertThat(outcome).isInstanceOf(ModelTraining.Outcome.Refused.class);
  }

  @Test
  void withoutBotsNothingIsTrained() {
    assertThat(train(i -> i < 30)).isInstanceOf(ModelTraining.Outcome.TooFew.class);
  }

  @Test
  void recordedDecisionsWithoutAnOutcomeAreLeftOut() {
    try (FreshDatabase books = new FreshDatabase(TestEngines.shared())) {
      DecisionFixture.record(
          books.database(),
          BUNDLE,
          DECISIONS,
          ModelTrainingTest::features,
          i -> i % 2 == 0 ? "" : isProgram(i) ? "appeal_lost" : "paid");
      ModelTraining.Outcome outcome =
          new ModelTraining(BUNDLE)
              .run(
                  new RecordedDecisions(books.database()),
                  RecordedDecisions.Range.all(),
                  "trained 2");
      assertThat(outcome).isInstanceOf(ModelTraining.Outcome.Trained.class);
      TrainingReport report = ((ModelTraining.Outcome.Trained) outcome).report();
      assertThat(report.trainingRows() + report.validationRows()).isEqualTo(DECISIONS * 4 / 10);
    }
  }
}
