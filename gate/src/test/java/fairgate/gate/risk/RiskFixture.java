package fairgate.gate.risk;

import java.util.Arrays;
import java.util.stream.Collectors;

/// Bundles for tests.
final class RiskFixture {
  static final FeatureSchema SCHEMA = FeatureSchema.latest();

  private static final String TEXT =
      "\"text\": {\"en\": \"a rule\", \"zh-Hant\": \"規則\", \"zh-Hans\": \"规则\"}";

  private RiskFixture() {}

  /// A rule in JSON.
  ///
  /// @param further further members, such as `"shadow": true`
  static String rule(String code, String when, int points, String... further) {
    String rest = Arrays.stream(further).map(one -> ", " + one).collect(Collectors.joining());
    return """
        {"code": "%s", "when": "%s", "points": %d, "reason": "network", %s%s}"""
        .formatted(code, when, points, TEXT, rest);
  }

  /// A bundle with the usual bands, in JSON, one rule a line.
  static String json(String... rules) {
    return with("", rules);
  }

  /// The same with further members, such as `"model": {...},`.
  static String with(String members, String... rules) {
    return """
        {
          "format": 1, "schema": 1, "name": "test", %s
          "bands": {
            "low": {"action": "pass"},
            "medium": {"from": 20, "action": "silent_check"},
            "high": {"from": 50, "action": "seat_behind"},
            "severe": {"from": 80, "action": "hold"},
            "critical": {"from": 100, "action": "refuse"}
          },
          "rules": [
            %s
          ]
        }
        """
        .formatted(members, String.join(",\n    ", rules));
  }

  static CompiledBundle compile(String json) {
    return switch (CompiledBundle.compile(json)) {
      case CompiledBundle.Outcome.Accepted(CompiledBundle bundle) -> bundle;
      case CompiledBundle.Outcome.Refused refused ->
          throw new AssertionError(refused.problems().toString());
    };
  }

  static CompiledBundle bundle(String... rules) {
    return compile(json(rules));
  }

  /// Features with these values, as name, value, name, value.
  static Features features(Object... values) {
    Features.Builder features = Features.builder();
    for (int i = 0; i < values.length; i += 2) {
      Feature feature = SCHEMA.feature((String) values[i]);
      switch (values[i + 1]) {
        case Integer number -> features.set(feature, number.longValue());
        case Long number -> features.set(feature, number);
        case Boolean flag -> features.set(feature, flag);
        case Double real -> features.set(feature, real);
        case String text -> features.set(feature, text);
        default -> throw new IllegalArgumentException(feature.name());
      }
    }
    return features.build();
  }
}
