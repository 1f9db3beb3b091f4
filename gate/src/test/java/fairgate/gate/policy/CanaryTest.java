package fairgate.gate.policy;

import static fairgate.gate.policy.PolicyWorld.buyer;
import static fairgate.gate.policy.PolicyWorld.decide;
import static fairgate.gate.policy.PolicyWorld.denyAll;
import static fairgate.gate.policy.PolicyWorld.document;
import static fairgate.gate.policy.PolicyWorld.publish;
import static fairgate.gate.policy.PolicyWorld.rule;
import static fairgate.gate.policy.PolicyWorld.usual;
import static org.assertj.core.api.Assertions.assertThat;

import fairgate.TestEngines;
import fairgate.testkit.Eventually;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("slow")
class CanaryTest {
  private static final int PEOPLE = 20_000;

  @SuppressWarnings("NullAway.Init")
  private PolicyWorld world;

  @SuppressWarnings("NullAway.Init")
  private PolicyService node;

  @BeforeEach
  void open() {
    world = new PolicyWorld(TestEngines.shared());
    node = world.node();
    var _ = node.activate(publish(node, usual("usual")), true, "ann");
  }

  @AfterEach
  void close() {
    world.close();
  }

  private PolicyView view(long version) {
    return node.find(version).orElseThrow();
  }

  private static String person(int i) {
    return "person " + i;
  }

  /// The people who get another version than the active one.
  private Set<String> canaryPeople() {
    Set<String> people = new HashSet<>();
    for (int i = 0; i < PEOPLE; i++) {
      String one = person(i);
      if (!node.bundleFor(() -> one).bundle().name().equals("usual")) {
        people.add(one);
      }
    }
    return people;
  }

  @Test
  void aCanaryStartsWithOnePercentAndKeepsItsPeopleWhileItGrows() {
    long canary = publish(node, usual("next"));
    var _ = node.canary(canary, 8, "ann");
    Set<String> first = canaryPeople();
    assertThat(first).hasSizeBetween(PEOPLE / 200, PEOPLE / 50);
    assertThat(canaryPeople()).isEqualTo(first);
    for (int i = 0; view(canary).percent() < 8; i++) {
      for (int j = 0; j < 100; j++) {
        var _ = decide(node, person(i * 100 + j), buyer(1, 0));
      }
      node.watchNow();
      assertThat(i).as("the ramp ends").isLessThan(PEOPLE);
    }
    assertThat(canaryPeople()).containsAll(first).hasSizeBetween(PEOPLE / 20, PEOPLE / 10);
    assertThat(view(canary).steps()).extracting(PolicyView.Step::step).contains("ramped");
  }

  @Test
  void aVersionThatRefusesEverybodyIsStoppedBeforeItReachesTwoPercent() {
    long bad = publish(node, denyAll());
    var _ = node.canary(bad, 100, "ann");
    Set<String> refused = new HashSet<>();
    for (int i = 0; i < PEOPLE; i++) {
      if (decide(node, person(i), buyer(1, 0)).assessment().action().word().equals("refuse")) {
        refused.add(person(i));
      }
      // The watch runs twice a second; here everybody comes much faster than that.
      if (i % 5_000 == 4_999) {
        node.watchNow();
      }
    }
    assertThat(refused).isNotEmpty().hasSizeLessThan(PEOPLE / 50);
    assertThat(view(bad).state()).isEqualTo(PolicyView.State.RETIRED);
    assertThat(view(bad).steps().getFirst().step()).isEqualTo("halted");
    assertThat(view(bad).steps().getFirst().detail())
        .matches("refusals; canary: decisions=\\d+ challenged=\\d+ .+; active: decisions=\\d+ .+");
    assertThat(canaryPeople()).isEmpty();
    assertThat(world.audited).extracting("what").contains("policy_canary_halted");
    assertThat(world.metrics.scrape())
        .contains("fairgate_policy_canary_halts_total{guardrail=\"refusals\"} 1.0");
  }

  @Test
  void aVersionThatRefusesEverybodyIsStoppedWhenNobodyCallsTheWatch() {
    long bad = publish(node, denyAll());
    var _ = node.canary(bad, 100, "ann");
    for (int i = 0; i < PEOPLE; i++) {
      var _ = decide(node, person(i), buyer(1, 0));
    }
    Eventually.await("it is stopped", () -> view(bad).state() == PolicyView.State.RETIRED);
  }

  @Test
  void theCanaryOfAnotherNodeIsStoppedToo() {
    PolicyService other = world.node();
    long bad = publish(node, denyAll());
    var _ = node.canary(bad, 50, "ann");
    String victim =
        IntStream.range(0, PEOPLE)
            .mapToObj(CanaryTest::person)
            .filter(one -> node.bundleFor(() -> one).bundle().name().equals("deny all"))
            .findFirst()
            .orElseThrow();
    Eventually.await(
        "the other node has the canary",
        () -> other.bundleFor(() -> victim).bundle().name().equals("deny all"));
    for (int i = 0; i < PEOPLE / 4; i++) {
      var _ = decide(node, person(i), buyer(1, 0));
    }
    Eventually.await(
        "the other node has heard of the halt",
        () -> other.bundleFor(() -> victim).bundle().name().equals("usual"));
  }

  @Test
  void peopleWhoHavePaidBeforeStopACanaryThatRefusesThem() {
    long bad = publish(node, document("bad", rule("loyal", "paid_orders > 0", 100)));
    var _ = node.canary(bad, 100, "ann");
    for (int i = 0; i < PEOPLE; i++) {
      var _ = decide(node, person(i), buyer(1, i % 20 == 0 ? 3 : 0));
    }
    node.watchNow();
    Eventually.await("it is stopped", () -> view(bad).state() == PolicyView.State.RETIRED);
    assertThat(view(bad).steps().getFirst().detail()).startsWith("paid_refused");
  }

  @Test
  void aSecondCanaryIsRefusedUntilTheFirstEnds() {
    long one = publish(node, usual("one"));
    long two = publish(node, usual("two"));
    var _ = node.canary(one, 5, "ann");
    assertThat(node.canary(two, 5, "ann"))
        .isEqualTo(new RolloutOutcome.Conflict(RolloutOutcome.Reason.OTHER_CANARY));
    assertThat(node.endCanary(two, "ann")).as("not it").isInstanceOf(RolloutOutcome.Done.class);
    assertThat(view(one).state()).isEqualTo(PolicyView.State.CANARY);
    assertThat(node.endCanary(one, "ann")).isInstanceOf(RolloutOutcome.Done.class);
    assertThat(view(one).state()).isEqualTo(PolicyView.State.RETIRED);
    assertThat(view(one).steps().getFirst().detail()).isEqualTo("ended");
    assertThat(canaryPeople()).isEmpty();
    assertThat(node.canary(two, 5, "ann")).isInstanceOf(RolloutOutcome.Done.class);
    assertThat(view(two).state()).isEqualTo(PolicyView.State.CANARY);
    assertThat(node.activate(two, true, "ann")).isInstanceOf(RolloutOutcome.Done.class);
    assertThat(view(two).state()).isEqualTo(PolicyView.State.ACTIVE);
  }

  @Test
  void aRollbackEndsTheCanaryAndItsHistorySaysSo() {
    long usual = node.list(Long.MAX_VALUE, 1).getFirst().version().version();
    long canary = publish(node, usual("next"));
    var _ = node.canary(canary, 5, "ann");
    assertThat(node.rollback(0, "bob")).isInstanceOf(RolloutOutcome.Done.class);
    assertThat(view(canary).state()).isEqualTo(PolicyView.State.RETIRED);
    PolicyView.Step end = view(canary).steps().getFirst();
    assertThat(end.step()).isEqualTo("canary");
    assertThat(end.actor()).isEqualTo("bob");
    assertThat(end.detail()).isEqualTo("ended; rollback of " + usual);
  }

  @Test
  void theShareIsTheHashOfSaltAndSubject() {
    // printf 'saltann' | sha256sum: the first 16 digits as a number, modulo 10,000.
    assertThat(PoliciesInForce.bucket("salt", "ann")).isEqualTo(3657);
    Map<Integer, Long> tenths =
        IntStream.range(0, PEOPLE)
            .mapToObj(i -> PoliciesInForce.bucket("salt", person(i)) / 1_000)
            .collect(
                java.util.stream.Collectors.groupingBy(
                    tenth -> tenth, java.util.stream.Collectors.counting()));
    assertThat(tenths.values()).allMatch(n -> n > PEOPLE / 12 && n < PEOPLE / 8);
  }
}
