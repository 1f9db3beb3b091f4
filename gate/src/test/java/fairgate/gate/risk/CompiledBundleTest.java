package fairgate.gate.risk;

import static fairgate.gate.risk.RiskFixture.json;
import static fairgate.gate.risk.RiskFixture.rule;
import static org.assertj.core.api.Assertions.assertThat;

import fairgate.platform.text.Language;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class CompiledBundleTest {
  /// The line of the first rule in [RiskFixture#json].
  private static final int FIRST = 11;

  private static List<RiskBundle.Problem> problems(String json) {
    return switch (CompiledBundle.compile(json)) {
      case CompiledBundle.Outcome.Accepted _ -> List.of();
      case CompiledBundle.Outcome.Refused refused -> refused.problems();
    };
  }

  private static RiskBundle.Problem only(String json) {
    List<RiskBundle.Problem> problems = problems(json);
    assertThat(problems).hasSize(1);
    return problems.getFirst();
  }

  @Test
  void theBuiltInBundleIsValidAndSpeaksThreeLanguages() {
    RiskBundle bundle = new BuiltInBundle().bundleFor(() -> "anybody").bundle();
    assertThat(bundle.rules()).hasSizeGreaterThanOrEqualTo(40);
    assertThat(bundle.rules())
        .allSatisfy(rule -> assertThat(rule.texts()).hasSize(Language.values().length));
    assertThat(bundle.actionOf(RiskBundle.Band.HIGH)).isEqualTo(RiskAction.SEAT_BEHIND);
    assertThat(List.of(19, 20, 49, 50, 79, 80, 99, 100))
        .extracting(bundle::bandOf)
        .containsExactly(
            RiskBundle.Band.LOW,
            RiskBundle.Band.MEDIUM,
            RiskBundle.Band.MEDIUM,
            RiskBundle.Band.HIGH,
            RiskBundle.Band.HIGH,
            RiskBundle.Band.SEVERE,
            RiskBundle.Band.SEVERE,
            RiskBundle.Band.CRITICAL);
  }

  @Test
  void theHashIsTheOneOfTheDocument() {
    CompiledBundle one = RiskFixture.bundle(rule("one", "true", 1));
    assertThat(one.hash()).matches("[0-9a-f]{64}");
    assertThat(RiskFixture.bundle(rule("one", "true", 1)).hash()).isEqualTo(one.hash());
    assertThat(RiskFixture.bundle(rule("one", "true", 2)).hash()).isNotEqualTo(one.hash());
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = ';',
      value = {
        "nope == 1; 0; undeclared reference to 'nope'",
        "signed_in && nope; 13; undeclared reference to 'nope'",
        "quantity; 0; expected type 'bool' but found 'int'",
        "quantity == 'one'; 9; no matching overload",
        "quantity / 0 > 1; 9; divides by zero",
        "quantity % 0 == 1; 9; divides by zero",
        "1.0 / 0.0 > 0.0; 4; divides by zero",
        "quantity >; 10; mismatched input",
        "[1, 2].all(x, x > 0); 10; undeclared reference to 'all'",
        "[1].exists(x, x > 0); 10; undeclared reference to 'exists'",
        "{'a': 1}['a'] == 1; 0; not allowed",
        "country.matches('a'); 15; not allowed",
        "10 / (3 - 3) > quantity; 3; divides by zero",
        "quantity % (1 - 1) == 1; 9; divides by zero",
        "quantity > 9223372036854775807 + 1; 31; never has a value",
        "signed_in || timestamp('x') < timestamp('2026-01-01T00:00:00Z'); 22; never has a value",
        "duration('x') < duration('1s'); 8; never has a value",
        "quantity == int('one'); 15; never has a value",
        "quantity == [1, 2][2]; 18; never has a value",
        "dyn(1); 3; not true or false",
        "quantity == 99999999999999999999; 12; This whole number is not between",
      })
  void aWrongConditionIsRefusedAtItsLineAndColumn(String when, int offset, String message) {
    List<RiskBundle.Problem> problems =
        problems(json(rule("first", "true", 1), rule("second", when, 1)));
    assertThat(problems).isNotEmpty();
    RiskBundle.Problem problem = problems.getFirst();
    assertThat(problem.message()).contains(message);
    assertThat(problem.rule()).isEqualTo("second");
    assertThat(problem.line()).isEqualTo(FIRST + 1);
    int start = ("    " + rule("second", when, 1)).indexOf(when) + 1;
    assertThat(problem.column()).isEqualTo(start + offset);
  }

  @Test
  void escapesInAConditionKeepTheColumn() {
    RiskBundle.Problem problem =
        only(json(rule("first", "country == \\\"TW\\\" \\n && \\u006eope", 1)));
    assertThat(problem.message()).contains("'nope'");
    int column =
        ("    " + rule("first", "country == \\\"TW\\\" \\n && \\u006eope", 1)).indexOf("\\u006e")
            + 1;
    assertThat(problem.line() + ":" + problem.column()).isEqualTo(FIRST + ":" + column);
  }

  @Test
  void conditionsThatAreTooLongOrTooDeepAreRefused() {
    String longest = "true || " + "quantity == 1234567 || ".repeat(88) + "false";
    assertThat(longest).hasSizeGreaterThan(2_000).hasSizeLessThan(2_048);
    assertThat(problems(json(rule("long", longest, 1)))).isEmpty();
    assertThat(only(json(rule("long", longest + " || signed_in || signed_in", 1))).message())
        .contains("2048");
    assertThat(only(json(rule("deep", "(".repeat(40) + "true" + ")".repeat(40), 1))).message())
        .contains("32");
    assertThat(only(json(rule("deep", "quantity" + " + 1".repeat(40) + " > 1", 1))).message())
        .contains("32");
  }

  @Test
  void everyProblemOfADocumentIsReportedInItsOrder() {
    List<RiskBundle.Problem> problems =
        problems(
            json(
                rule("one", "true", 101),
                rule("two", "true", 1, "\"appealable\": false"),
                rule("three", "true", 1, "\"band\": \"worse\""),
                rule("two", "true", 1),
                rule("four", "true", 1, "\"help\": [\"pray\"]")));
    assertThat(problems)
        .extracting(problem -> problem.line() - FIRST)
        .containsExactly(0, 1, 2, 3, 4);
    assertThat(problems)
        .extracting(RiskBundle.Problem::message)
        .satisfiesExactly(
            one -> assertThat(one).contains("-100 to 100"),
            two -> assertThat(two).contains("appealable"),
            three -> assertThat(three).contains("low, medium, high, severe, critical"),
            four -> assertThat(four).contains("Another rule"),
            five -> assertThat(five).contains("verify_phone"));
  }

  @Test
  void hiddenCharactersInTextsForPeopleAreRefusedAtTheirLine() {
    for (String hidden : List.of("\u202e", "\\u202e", "\\u0000", "\\u2067", "\\u200F", "\\u0085")) {
      for (String text : List.of("a rule", "規則", "规则")) {
        String broken = rule("second", "true", 1).replace(text, text + hidden);
        RiskBundle.Problem problem = only(json(rule("first", "true", 1), broken));
        assertThat(problem.message()).contains("the hidden character U+");
        assertThat(problem.rule()).isEqualTo("second");
        assertThat(problem.line()).isEqualTo(FIRST + 1);
        assertThat(problem.column()).isEqualTo(("    " + broken).indexOf('"' + text) + 1);
      }
      String note = RiskFixture.with("\"note\": \"a" + hidden + "\",", rule("first", "true", 1));
      assertThat(only(note).message()).startsWith("note has the hidden character U+");
    }
    assertThat(problems(json(rule("first", "true", 1).replace("a rule", "a\\n\\trule")))).isEmpty();
  }

  @Test
  void malformedDocumentsAreRefusedWithLineAndColumn() {
    assertThat(only("").line()).isEqualTo(1);
    assertThat(only("[]").message()).contains("object");
    assertThat(only("{\n  \"format\": 1,,\n}").line()).isEqualTo(2);
    assertThat(only("{\"a\": 1, \"a\": 2}").message()).contains("uplicate");
    assertThat(only("{} {}").message()).contains("after");
    assertThat(only("[".repeat(200)).message()).contains("nesting").doesNotContain("`");
    assertThat(only("{\n  \"format\": 1").message())
        .contains("end-of-input")
        .doesNotContain("Source", "`");
    assertThat(problems("{\"format\": 2}"))
        .extracting(RiskBundle.Problem::message)
        .contains("format is a whole number from 1 to 1.", "The member rules is missing.");
    assertThat(only(" ".repeat(1_000_001)).message()).contains("1000000");
  }

  @Test
  void bandsRiseAndDoNotBecomeMilder() {
    String usual = json(rule("one", "true", 1));
    assertThat(only(usual.replace("\"from\": 50", "\"from\": 20")).message())
        .contains("above the band before");
    assertThat(only(usual.replace("\"hold\"", "\"pass\"")).message()).contains("not milder");
    assertThat(only(usual.replace("{\"action\": \"pass\"}", "{\"from\": 1, \"action\": \"pass\"}")))
        .extracting(RiskBundle.Problem::message)
        .asString()
        .contains("lowest band");
  }

  @Test
  void aModelIsCheckedAtItsPlace() {
    String tree =
        """
        "model": {"name": "m", "base": 0, "scale": 5, "trees": [
        {"feature": "%s", "below": 3, "yes": {"leaf": 1}, "no": {"leaf": -1}}]},
        """;
    assertThat(problems(RiskFixture.with(tree.formatted("paid_orders"), rule("one", "true", 1))))
        .isEmpty();
    RiskBundle.Problem unknown =
        only(RiskFixture.with(tree.formatted("nothing"), rule("one", "true", 1)));
    assertThat(unknown.message()).contains("no feature nothing");
    assertThat(unknown.line()).isEqualTo(3);
    assertThat(only(RiskFixture.with(tree.formatted("country"), rule("one", "true", 1))).message())
        .contains("text");
  }

  @Test
  void constantsWithAValueAreAllowed() {
    for (String when :
        List.of(
            "quantity > 60 * 24",
            "quantity / (3 - 2) > 1",
            "country in ['T' + 'W', 'DE']",
            "timestamp('2026-01-01T00:00:00Z') < timestamp('2026-01-02T00:00:00Z')",
            "type(quantity) == int",
            "1 < 2")) {
      assertThat(problems(json(rule("one", when, 1)))).as(when).isEmpty();
    }
  }

  /// Two rules without a code are two problems, not three.
  @Test
  void aWrongMemberIsOneProblem() {
    String usual = json(rule("one", "true", 1));
    assertThat(only(usual.replace("\"hold\"", "\"explode\"")).message())
        .startsWith("action is one of");
    assertThat(only(usual.replace("\"from\": 80", "\"from\": \"80\"")).message())
        .startsWith("from is a whole number");
    assertThat(problems(json(rule("A", "true", 1), rule("B", "true", 1))))
        .extracting(RiskBundle.Problem::message)
        .allMatch(message -> message.startsWith("code has"))
        .hasSize(2);
  }

  @Test
  void aFailedEvaluationIsNoValue() throws RuleEngine.EvaluationFailed {
    var compiled =
        (RuleEngine.Compilation.Compiled)
            RuleEngine.compile("10 / quantity > 3", FeatureSchema.latest());
    assertThat(compiled.condition().matches(RiskFixture.features("quantity", 2))).isTrue();
    assertThat(compiled.condition().matches(RiskFixture.features("quantity", 5))).isFalse();
    org.assertj.core.api.Assertions.assertThatThrownBy(
            () -> compiled.condition().matches(RiskFixture.features()))
        .isInstanceOf(RuleEngine.EvaluationFailed.class);
  }
}
