package fairgate.gate.policy;

import static fairgate.gate.policy.PolicyWorld.buyer;
import static fairgate.gate.policy.PolicyWorld.compiled;
import static fairgate.gate.policy.PolicyWorld.document;
import static fairgate.gate.policy.PolicyWorld.publish;
import static fairgate.gate.policy.PolicyWorld.rule;
import static fairgate.gate.policy.PolicyWorld.usual;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import fairgate.TestEngines;
import java.io.IOException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class BacktestTest {
  private static final ObjectMapper JSON = new ObjectMapper();

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

  /// 1,000 decisions: clients 0 to 99 of each hundred have joined as often as their number. Those
  /// from 80 on are bots, of the others every second one has paid.
  private void record() {
    DecisionFixture.record(
        world.books().database(),
        compiled(document("old", rule("very_many", "joins_of_address > 95", 60))),
        1_000,
        i -> buyer(i % 100, 0),
        i -> i % 100 >= 80 ? "unpaid" : i % 2 == 0 ? "paid" : "");
  }

  private JsonNode report(long version, RecordedDecisions.Range range) {
    assertThat(node.backtest(version, range, "ann")).isInstanceOf(RolloutOutcome.Done.class);
    try {
      return JSON.readTree(node.find(version).orElseThrow().report());
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }

  @Test
  void theReportCountsWhatWouldChangeByOutcome() {
    record();
    long stricter = publish(node, document("new", rule("many", "joins_of_address > 69", 60)));
    JsonNode report = report(stricter, RecordedDecisions.Range.all());
    assertThat(report.at("/decisions/all").asLong()).isEqualTo(1_000);
    assertThat(report.at("/decisions/bot").asLong()).isEqualTo(200);
    // 70 to 95 of each hundred: 16 bots, 5 people who paid, 5 of whom nothing is known.
    assertThat(report.at("/stricter/all/n").asLong()).isEqualTo(260);
    assertThat(report.at("/stricter/bot/n").asLong()).isEqualTo(160);
    assertThat(report.at("/stricter/human/n").asLong()).isEqualTo(50);
    assertThat(report.at("/stricter/human/of").asLong()).isEqualTo(400);
    assertThat(report.at("/stricter/human/low").asDouble()).isBetween(0.09, 0.1);
    assertThat(report.at("/stricter/human/high").asDouble()).isBetween(0.16, 0.17);
    assertThat(report.path("humans_harmed_per_bot_stopped").asDouble()).isEqualTo(0.3125);
    assertThat(report.path("matrix").toString())
        .contains(
            "{\"from\":\"pass\",\"to\":\"seat_behind\",\"human\":50,\"bot\":160,\"unknown\":50}")
        .contains("{\"from\":\"seat_behind\",\"to\":\"seat_behind\",\"human\":0,\"bot\":40");
    assertThat(report.at("/rules/0/code").asText()).isEqualTo("many");
    assertThat(report.at("/rules/0/matched/all/n").asLong()).isEqualTo(300);
    assertThat(report.at("/rules/0/stricter/all/n").asLong()).isEqualTo(260);
    assertThat(report.path("examples")).hasSize(20);
    assertThat(report.at("/examples/0/outcome").asText()).isEqualTo("human");
    assertThat(report.at("/examples/0/reasons/0").asText()).isEqualTo("many:60");
  }

  @Test
  void theSameDecisionsGiveTheSameHash() {
    record();
    long version = publish(node, usual("new"));
    RecordedDecisions.Range half =
        new RecordedDecisions.Range(
            DecisionFixture.START, DecisionFixture.START.plusSeconds(500), Long.MAX_VALUE);
    JsonNode report = report(version, half);
    assertThat(report.at("/decisions/all").asLong()).isEqualTo(500);
    String hash = node.find(version).orElseThrow().backtest();
    var _ = report(version, half);
    assertThat(node.find(version).orElseThrow().backtest()).isEqualTo(hash);
    var _ = report(version, RecordedDecisions.Range.all());
    assertThat(node.find(version).orElseThrow().backtest()).isNotEqualTo(hash);
  }

  @Test
  void aLimitTakesTheNewestDecisions() {
    record();
    long version = publish(node, usual("new"));
    JsonNode report =
        report(
            version,
            new RecordedDecisions.Range(
                RecordedDecisions.Range.BEGINNING, RecordedDecisions.Range.END, 100));
    assertThat(report.at("/decisions/all").asLong()).isEqualTo(100);
    assertThat(report.at("/examples/0/decision").asText()).startsWith("d00009");
  }

  @Test
  void withoutDecisionsTheReportIsEmpty() {
    JsonNode report = report(publish(node, usual("new")), RecordedDecisions.Range.all());
    assertThat(report.at("/decisions/all").asLong()).isZero();
    assertThat(report.path("humans_harmed_per_bot_stopped").isNull()).isTrue();
  }
}
