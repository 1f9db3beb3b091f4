package fairgate.catalog;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import fairgate.catalog.SalePolicy.PlannedBatch;
import fairgate.catalog.SalePolicy.Schedule;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.random.RandomGenerator;
import java.util.random.RandomGeneratorFactory;
import org.junit.jupiter.api.Test;

class EvenBatchesTest {
  private static final Instant OPENING = Instant.parse("2026-12-01T12:00:00Z");
  private static final String FOUR =
      """
      {"opens_at": "2026-12-01T20:00:00+08:00", "batches": {"count": 4, "gap_ms": [3000, 5000]}}
      """;
  private final RandomGenerator chance = RandomGeneratorFactory.of("L64X128MixRandom").create(7);

  @Test
  void aThousandUnitsComeInFourBatchesThreeToFiveSecondsApart() {
    Set<Long> gaps = new HashSet<>();
    for (int i = 0; i < 200; i++) {
      List<PlannedBatch> batches = expanded(FOUR, 1_000, Schedule.NONE).batches();
      assertThat(batches).extracting(PlannedBatch::quantity).containsExactly(250, 250, 250, 250);
      assertThat(batches.getFirst().at()).isEqualTo(OPENING);
      for (int n = 1; n < 4; n++) {
        gaps.add(Duration.between(batches.get(n - 1).at(), batches.get(n).at()).toMillis());
      }
    }
    assertThat(gaps).hasSizeGreaterThan(300).allMatch(gap -> gap >= 3_000 && gap <= 5_000);
  }

  @Test
  void theFirstBatchesHaveOneUnitMoreWhereTheUnitsCannotBeDivided() {
    assertThat(expanded(FOUR, 10, Schedule.NONE).batches())
        .extracting(PlannedBatch::quantity)
        .containsExactly(3, 3, 2, 2);
  }

  @Test
  void savingTheSameAgainKeepsWhatWasDrawn() {
    Schedule drawn = expanded(FOUR, 1_000, Schedule.NONE);
    assertThat(expanded(FOUR, 1_000, drawn)).isEqualTo(drawn);
    assertThat(expanded(FOUR, 1_004, drawn)).isNotEqualTo(drawn);
    assertThat(expanded(FOUR.replace("20:00", "21:00"), 1_000, drawn).batches().getFirst().at())
        .isEqualTo(OPENING.plusSeconds(3_600));
    assertThat(expanded(FOUR.replace("3000", "5000"), 1_000, drawn).lastBatchAt())
        .isEqualTo(OPENING.plusSeconds(15));
  }

  @Test
  void aChangeOfOtherFieldsKeepsTheOpening() {
    String batches = "{\"batches\": {\"count\": 2, \"gap_ms\": [1000, 1000]}}";
    EvenBatches.Expansion expansion =
        EvenBatches.expand(json(batches), 2, Schedule.NONE, OPENING, chance);
    assertThat(expansion.policy().at("/batches/1/at").asText()).isEqualTo("2026-12-01T12:00:01Z");
  }

  @Test
  void aListAndAPolicyWithoutBatchesStayAsTheyAre() {
    for (String policy : List.of("{}", "{\"batches\": []}", "{\"batches\": null}", "[]", "4")) {
      JsonNode json = json(policy);
      assertThat(EvenBatches.expand(json, 9, Schedule.NONE, null, chance).policy()).isEqualTo(json);
    }
  }

  @Test
  void whatCannotBeIsToldWithItsField() {
    assertProblem("{\"count\": 1, \"gap_ms\": [3000, 5000]}", "batches.count out_of_range");
    assertProblem("{\"gap_ms\": [3000, 5000]}", "batches.count out_of_range");
    assertProblem("{\"count\": 11, \"gap_ms\": [3000, 5000]}", "batches.count out_of_range");
    assertProblem("{\"count\": 4}", "batches.gap_ms not_range");
    assertProblem("{\"count\": 4, \"gap_ms\": [5000, 3000]}", "batches.gap_ms not_range");
    assertProblem("{\"count\": 4, \"gap_ms\": [999, 3000]}", "batches.gap_ms not_range");
    assertProblem("{\"count\": 4, \"gap_ms\": [3000, 3600001]}", "batches.gap_ms not_range");
    assertProblem("{\"count\": 4, \"gap\": [3000, 5000]}", "batches.gap_ms not_range");
    assertProblem("{\"count\": 4, \"gap_ms\": [3000, 5000]}", "batches needs_opening");
  }

  private void assertProblem(String batches, String problem) {
    JsonNode policy = json("{\"batches\": " + batches + "}");
    assertThat(EvenBatches.expand(policy, 10, Schedule.NONE, null, chance).problems())
        .extracting(found -> found.field() + " " + found.problem())
        .contains(problem);
  }

  private Schedule expanded(String policy, int units, Schedule was) {
    EvenBatches.Expansion expansion = EvenBatches.expand(json(policy), units, was, null, chance);
    assertThat(expansion.problems()).isEmpty();
    return switch (PolicyJson.read(expansion.policy())) {
      case PolicyOutcome.Valid(SalePolicy read) -> read.schedule();
      case PolicyOutcome.Invalid(List<PolicyProblem> problems) ->
          throw new AssertionError(problems.toString());
    };
  }

  private static JsonNode json(String text) {
    try {
      return new ObjectMapper().readTree(text);
    } catch (IOException e) {
      throw new IllegalStateException(e);
    }
  }
}
