package fairgate.gate.risk;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/// A bundle with its rules compiled, ready to judge requests. Immutable and thread-safe.
public final class CompiledBundle {
  private final RiskBundle bundle;
  private final FeatureSchema schema;
  private final List<CompiledRule> rules;
  private final Map<String, RiskBundle.Rule> byCode;

  private CompiledBundle(RiskBundle bundle, FeatureSchema schema, List<CompiledRule> rules) {
    this.bundle = bundle;
    this.schema = schema;
    this.rules = List.copyOf(rules);
    this.byCode =
        bundle.rules().stream()
            .collect(Collectors.toMap(RiskBundle.Rule::code, Function.identity()));
  }

  public sealed interface Outcome {
    record Accepted(CompiledBundle bundle) implements Outcome {}

    /// It has errors.
    ///
    /// @param problems at least one, in the order of the document
    record Refused(List<RiskBundle.Problem> problems) implements Outcome {
      public Refused {
        problems = List.copyOf(problems);
      }
    }
  }

  record CompiledRule(RiskBundle.Rule rule, RuleEngine.Condition condition) {}

  /// Parses a JSON document, checks it completely, and compiles its rules. Never throws for a bad
  /// document.
  public static Outcome compile(String json) {
    return compile(json, /* isNew= */ true);
  }

  /// The same for a document that was published before. It compiles with everything that earlier
  /// versions of the server accepted: texts with hidden characters, and rules with a part that
  /// never has a value. Where a rule comes to such a part, it does not match.
  public static Outcome recompile(String json) {
    return compile(json, /* isNew= */ false);
  }

  private static Outcome compile(String json, boolean isNew) {
    BundleParser parser = new BundleParser(json, isNew);
    RiskBundle bundle = parser.parse();
    if (bundle == null) {
      return new Outcome.Refused(parser.problems());
    }
    FeatureSchema schema = FeatureSchema.version(bundle.schema()).orElseThrow();
    List<CompiledRule> rules = new ArrayList<>();
    for (RiskBundle.Rule rule : bundle.rules()) {
      switch (RuleEngine.compile(rule.when(), schema)) {
        case RuleEngine.Compilation.Compiled(
                RuleEngine.Condition condition,
                List<RuleEngine.Problem> failures) -> {
          rules.add(new CompiledRule(rule, condition));
          if (isNew) {
            failures.forEach(problem -> parser.problemInCondition(rule, problem));
          }
        }
        case RuleEngine.Compilation.Refused(List<RuleEngine.Problem> found) ->
            found.forEach(problem -> parser.problemInCondition(rule, problem));
      }
    }
    return parser.problems().isEmpty()
        ? new Outcome.Accepted(new CompiledBundle(bundle, schema, rules))
        : new Outcome.Refused(parser.problems());
  }

  public RiskBundle bundle() {
    return bundle;
  }

  public FeatureSchema schema() {
    return schema;
  }

  /// The bundle's hash: 64 hexadecimal digits.
  public String hash() {
    return bundle.hash();
  }

  /// The rule with this code; null for none, such as for the model.
  public RiskBundle.@Nullable Rule rule(String code) {
    return byCode.get(code);
  }

  List<CompiledRule> rules() {
    return rules;
  }
}
