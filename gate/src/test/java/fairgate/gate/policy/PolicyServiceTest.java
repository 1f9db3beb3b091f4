package fairgate.gate.policy;

import static fairgate.gate.policy.PolicyWorld.buyer;
import static fairgate.gate.policy.PolicyWorld.compiled;
import static fairgate.gate.policy.PolicyWorld.decide;
import static fairgate.gate.policy.PolicyWorld.denyAll;
import static fairgate.gate.policy.PolicyWorld.document;
import static fairgate.gate.policy.PolicyWorld.publish;
import static fairgate.gate.policy.PolicyWorld.rule;
import static fairgate.gate.policy.PolicyWorld.usual;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import fairgate.TestEngines;
import fairgate.gate.risk.BuiltInBundle;
import fairgate.gate.risk.RiskBundle;
import fairgate.platform.observe.Health;
import fairgate.platform.postgres.PostgresRefusal;
import fairgate.platform.text.Language;
import fairgate.platform.text.Messages;
import fairgate.testkit.Eventually;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("slow")
class PolicyServiceTest {
  private static final String ZERO = "10 / (3 - 3) > joins_of_address";

  @SuppressWarnings("NullAway.Init")
  private PolicyWorld world;

  @SuppressWarnings("NullAway.Init")
  private PolicyService node;

  @BeforeEach
  void open() {
    world = new PolicyWorld(TestEngines.shared());
    node = world.node();
  }

  @AfterEach
  void close() {
    world.close();
  }

  private PolicyView view(long version) {
    return node.find(version).orElseThrow();
  }

  @Test
  void theBuiltInBundleIsPublishedOnceAndActiveAtFirst() {
    PolicyService other = world.node();
    assertThat(node.bundleFor(() -> "ann").bundle().json()).isEqualTo(BuiltInBundle.json());
    assertThat(other.bundleFor(() -> "ann").hash()).isEqualTo(node.bundleFor(() -> "ann").hash());
    List<PolicyView> all = node.list(Long.MAX_VALUE, 100);
    assertThat(all).hasSize(1);
    assertThat(all.getFirst().state()).isEqualTo(PolicyView.State.ACTIVE);
    assertThat(all.getFirst().version().author()).isEqualTo("built-in");
  }

  @Test
  void aBundleWithErrorsIsRefusedWithLineAndColumn() {
    String wrong =
        document("wrong", rule("good_rule", "true", 5), rule("bad_rule", "no_field > 1", 5));
    RolloutOutcome outcome =
        node.publish(new PolicyService.Publication(wrong, "ann", 0, "", Guardrails.defaults()));
    assertThat(outcome).isInstanceOf(RolloutOutcome.Invalid.class);
    RiskBundle.Problem problem = ((RolloutOutcome.Invalid) outcome).problems().getFirst();
    List<String> lines = wrong.lines().toList();
    assertThat(lines.get(problem.line() - 1).substring(problem.column() - 1))
        .startsWith("no_field > 1");
    assertThat(node.list(Long.MAX_VALUE, 100)).hasSize(1);
  }

  @Test
  void aPublishedVersionNeverChanges() {
    long version = publish(node, usual("one"));
    for (String sql :
        List.of("UPDATE policies SET note = 'better'", "DELETE FROM policies WHERE version = 2")) {
      assertThatThrownBy(() -> world.books().database().tx(db -> db.update(sql)))
          .isInstanceOf(PostgresRefusal.class);
    }
    assertThat(view(version).version().bundle()).isEqualTo(usual("one"));
    RolloutOutcome again =
        node.publish(
            new PolicyService.Publication(usual("one"), "bob", 0, "other", Guardrails.defaults()));
    assertThat(again).isInstanceOf(RolloutOutcome.Exists.class);
    assertThat(view(version).version().author()).isEqualTo("ann");
  }

  @Test
  void aVersionIsActivatedAfterABacktestOrAConfirmation() {
    long one = publish(node, usual("one"));
    assertThat(node.activate(one, false, "ann")).isInstanceOf(RolloutOutcome.BacktestMissing.class);
    assertThat(node.backtest(one, RecordedDecisions.Range.all(), "ann"))
        .isInstanceOf(RolloutOutcome.Done.class);
    assertThat(view(one).backtest()).hasSize(64);
    assertThat(node.activate(one, false, "ann"))
        .as("a backtest without any decision")
        .isInstanceOf(RolloutOutcome.BacktestMissing.class);
    DecisionFixture.record(
        world.books().database(), compiled(usual("old")), 1, i -> buyer(i, 0), _ -> "");
    assertThat(node.backtest(one, RecordedDecisions.Range.all(), "ann"))
        .isInstanceOf(RolloutOutcome.Done.class);
    assertThat(node.activate(one, false, "ann")).isInstanceOf(RolloutOutcome.Done.class);
    assertThat(node.bundleFor(() -> "ann").bundle().name()).isEqualTo("one");
    assertThat(node.activate(one, false, "ann"))
        .isEqualTo(new RolloutOutcome.Conflict(RolloutOutcome.Reason.IS_ACTIVE));
    long two = publish(node, usual("two"));
    assertThat(node.activate(two, true, "ann")).isInstanceOf(RolloutOutcome.Done.class);
    assertThat(view(one).state()).isEqualTo(PolicyView.State.RETIRED);
    assertThat(node.activate(987_654, true, "ann")).isInstanceOf(RolloutOutcome.Unknown.class);
    assertThat(world.audited).extracting("what").contains("policy_published", "policy_backtested");
    assertThat(world.audited).extracting("what").contains("policy_activated");
  }

  @Test
  void aRollbackGoesBackOnEveryNodeAndARepeatGoesForward() {
    PolicyService second = world.node();
    PolicyService third = world.node();
    long one = publish(node, usual("one"));
    var _ = node.activate(one, true, "ann");
    Eventually.await("all have it", () -> isActive(second, "one") && isActive(third, "one"));
    assertThat(second.rollback(0, "bob")).isInstanceOf(RolloutOutcome.Done.class);
    assertThat(isActive(second, "one")).isFalse();
    Eventually.await("none has it", () -> !isActive(node, "one") && !isActive(third, "one"));
    assertThat(third.rollback(0, "bob")).isInstanceOf(RolloutOutcome.Done.class);
    Eventually.await("all have it again", () -> isActive(node, "one") && isActive(second, "one"));
    assertThat(world.audited).extracting("what").contains("policy_rolled_back");
  }

  @Test
  void aRollbackThatIsRepeatedOrMadeTwiceAtOnceLeavesTheVersionItNames() {
    PolicyService second = world.node();
    long one = publish(node, usual("one"));
    for (int i = 0; i < 10; i++) {
      var _ = node.activate(one, true, "ann");
      CountDownLatch start = new CountDownLatch(1);
      List<CompletableFuture<RolloutOutcome>> both =
          Stream.of(node, second)
              .map(
                  at ->
                      CompletableFuture.supplyAsync(
                          () -> {
                            await(start);
                            return at.rollback(one, "bob");
                          },
                          task -> Thread.ofVirtual().start(task)))
              .toList();
      start.countDown();
      List<RolloutOutcome> outcomes = both.stream().map(CompletableFuture::join).toList();
      assertThat(outcomes).filteredOn(RolloutOutcome.Done.class::isInstance).hasSize(1);
      assertThat(outcomes)
          .contains(new RolloutOutcome.Conflict(RolloutOutcome.Reason.OTHER_ACTIVE));
      int steps = view(one).steps().size();
      assertThat(node.rollback(one, "bob"))
          .isEqualTo(new RolloutOutcome.Conflict(RolloutOutcome.Reason.OTHER_ACTIVE));
      assertThat(view(1).state()).isEqualTo(PolicyView.State.ACTIVE);
      assertThat(view(one).steps()).hasSize(steps);
    }
  }

  private static void await(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }

  @Test
  void everyReasonOfAConflictHasAText() {
    for (RolloutOutcome.Reason reason : RolloutOutcome.Reason.values()) {
      assertThat(Messages.has("reason.POLICY_STATE_CONFLICT." + reason.word()))
          .as(reason.word())
          .isTrue();
    }
  }

  private static boolean isActive(PolicyService at, String name) {
    return at.bundleFor(() -> "ann").bundle().name().equals(name);
  }

  @Test
  void aNodeThatCannotUseTheActiveVersionKeepsTheOneBefore() {
    var _ = node.activate(publish(node, usual("one")), true, "ann");
    String sql =
        """
        WITH newer AS (
          INSERT INTO policies (bundle, sha256, salt, author, note, guardrails)
          SELECT '{"format": 2}', repeat('0', 64), salt, author, note, guardrails
          FROM policies WHERE version = 1 RETURNING version)
        UPDATE policy_pointer SET change = change + 1, previous = active, active = newer.version
        FROM newer
        """;
    var _ = world.books().database().tx(db -> db.update(sql));
    Eventually.await("the node reports it", () -> !node.status().equals(Health.Status.good()));
    assertThat(isActive(node, "one")).isTrue();
    assertThat(node.rollback(0, "ann")).isInstanceOf(RolloutOutcome.Done.class);
    assertThat(node.status()).isEqualTo(Health.Status.good());
    assertThat(isActive(node, "one")).isTrue();
  }

  @Test
  void withoutAnEarlierVersionThereIsNoRollback() {
    assertThat(node.rollback(0, "ann"))
        .isEqualTo(new RolloutOutcome.Conflict(RolloutOutcome.Reason.NO_PREVIOUS));
  }

  @Test
  void aCanaryOfNobodyIsReportedAndDecidesNothing() {
    long canary = publish(node, denyAll());
    var _ = node.canary(canary, 0, "ann");
    for (int i = 0; i < 30; i++) {
      assertThat(decide(node, "s" + i, buyer(1, 0)).assessment().action().word())
          .isNotEqualTo("refuse");
    }
    node.watchNow();
    PolicyView view = view(canary);
    assertThat(view.state()).as("no guardrail stops it").isEqualTo(PolicyView.State.CANARY);
    assertThat(view.percent()).isZero();
    assertThat(view.counts().getOrDefault("canary", Map.of()).values()).containsExactly(30L);
    assertThat(view.counts().getOrDefault("canary", Map.of()).keySet())
        .allMatch(move -> move.endsWith(">refuse"));
    assertThat(view.counts().getOrDefault("active", Map.of())).containsEntry("decisions", 30L);
    var _ = node.canary(canary, 10, "ann");
    assertThat(view(canary).percent()).isEqualTo(1);
    assertThat(node.shadows()).isEmpty();
    var _ = node.canary(canary, 0, "ann");
    assertThat(view(canary).percent()).isZero();
    assertThat(node.shadows()).hasSize(1);
    var _ = node.endCanary(canary, "ann");
    assertThat(view(canary).state()).isEqualTo(PolicyView.State.RETIRED);
    assertThat(node.shadows()).isEmpty();
  }

  /// An earlier version of the server has published it. Without it, this node would have no policy.
  @Test
  void aPublishedVersionWithAConstantThatFailsOrAHiddenCharacterStaysInUse() {
    var _ = node.activate(publish(node, usual("one")), true, "ann");
    String zero =
        document("old", rule("many_joins", "joins_of_address > 10", 60), rule("zero", ZERO, 60));
    assertThat(node.problems(zero)).extracting(RiskBundle.Problem::rule).containsExactly("zero");
    String old = zero.replace("About many_joins.", "About \\u202emany_joins.");
    assertThat(node.problems(old))
        .extracting(RiskBundle.Problem::rule)
        .containsExactly("many_joins");
    String sql =
        """
        WITH older AS (
          INSERT INTO policies (bundle, sha256, salt, author, note, guardrails)
          SELECT $1, repeat('0', 64), salt, author, note, guardrails
          FROM policies WHERE version = 1 RETURNING version)
        UPDATE policy_pointer SET change = change + 1, previous = active, active = older.version
        FROM older
        """;
    var _ = world.books().database().tx(db -> db.update(sql, old));
    Eventually.await("the node uses it", () -> isActive(node, "old"));
    assertThat(node.status()).isEqualTo(Health.Status.good());
    assertThat(decide(node, "ann", buyer(11, 0)).assessment().score()).isEqualTo(60);
    assertThat(decide(node, "ann", buyer(11, 0)).assessment().failedRules())
        .containsExactly("zero");
  }

  @Test
  void theRulesOfTheActiveVersionAreToldInThreeLanguages() {
    var _ = node.activate(publish(node, usual("one")), true, "ann");
    assertThat(node.rulesInWords(Language.EN).raising()).containsExactly("About many_joins.");
    assertThat(node.rulesInWords(Language.ZH_HANT).raising()).containsExactly("關於 many_joins。");
    assertThat(node.rulesInWords(Language.ZH_HANS).raising()).containsExactly("关于 many_joins。");
    assertThat(node.rulesInWords(Language.EN).lowering()).isEmpty();
    assertThat(node.rulesInWords(Language.EN).actions()).hasSize(5);
  }
}
