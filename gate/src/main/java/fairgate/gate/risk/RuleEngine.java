package fairgate.gate.risk;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import dev.cel.common.CelAbstractSyntaxTree;
import dev.cel.common.CelIssue;
import dev.cel.common.CelOptions;
import dev.cel.common.CelSource;
import dev.cel.common.CelValidationException;
import dev.cel.common.CelValidationResult;
import dev.cel.common.ast.CelExpr;
import dev.cel.common.types.CelType;
import dev.cel.common.types.SimpleType;
import dev.cel.compiler.CelCompiler;
import dev.cel.compiler.CelCompilerBuilder;
import dev.cel.compiler.CelCompilerFactory;
import dev.cel.runtime.CelEvaluationException;
import dev.cel.runtime.CelRuntime;
import dev.cel.runtime.CelRuntimeFactory;
import dev.cel.runtime.Program;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/// Compiles the conditions of rules: expressions in the Common Expression Language, without macros,
/// so without loops. Thread-safe.
///
/// An expression has at most [#LONGEST] characters and [#DEEPEST] levels. Its variables are the
/// features of one schema, and its result is a boolean.
final class RuleEngine {
  static final int LONGEST = 2_048;

  static final int DEEPEST = 32;

  private static final CelOptions OPTIONS =
      CelOptions.current()
          .maxExpressionCodePointSize(LONGEST)
          .maxParseRecursionDepth(DEEPEST)
          .enableComprehension(false)
          .enableHeterogeneousNumericComparisons(true)
          .build();

  private static final CelRuntime RUNTIME =
      CelRuntimeFactory.plannerRuntimeBuilder().setOptions(OPTIONS).build();
  private static final Map<FeatureSchema, CelCompiler> COMPILERS = new ConcurrentHashMap<>();

  /// A start compiles the rules of the built-in policy several times.
  private static final Cache<Source, Compilation> COMPILED =
      Caffeine.newBuilder().maximumSize(1_000).build();

  private record Source(String expression, FeatureSchema schema) {}

  private RuleEngine() {}

  sealed interface Compilation {
    /// It can be evaluated.
    ///
    /// @param failures parts without variables that have no value, such as a division by zero. A
    ///   new document with one is refused; a published one stays in use
    record Compiled(Condition condition, List<Problem> failures) implements Compilation {
      public Compiled {
        failures = List.copyOf(failures);
      }
    }

    /// It has errors.
    ///
    /// @param problems at least one
    record Refused(List<Problem> problems) implements Compilation {
      public Refused {
        problems = List.copyOf(problems);
      }
    }
  }

  /// An error in an expression.
  ///
  /// @param offset characters before it
  record Problem(int offset, String message) {}

  /// A compiled expression. Thread-safe; its result depends only on the features.
  @FunctionalInterface
  interface Condition {
    /// Whether the features fulfil it. Throws EvaluationFailed when it has no value for them, such
    /// as after a division by zero.
    boolean matches(Features features) throws EvaluationFailed;
  }

  /// A condition has no value for these features.
  static final class EvaluationFailed extends Exception {
    private static final long serialVersionUID = 1L;

    EvaluationFailed(String message) {
      // Without a stack trace: this happens on the hot path.
      super(message, null, false, false);
    }
  }

  /// Compiles and type-checks an expression. Never throws.
  static Compilation compile(String expression, FeatureSchema schema) {
    return COMPILED.get(new Source(expression, schema), RuleEngine::compile);
  }

  private static Compilation compile(Source source) {
    String expression = source.expression();
    FeatureSchema schema = source.schema();
    if (expression.length() > LONGEST) {
      return refused(0, "The condition has more than " + LONGEST + " characters.");
    }
    CelValidationResult result =
        COMPILERS.computeIfAbsent(schema, RuleEngine::compiler).compile(expression);
    if (result.hasError()) {
      return new Compilation.Refused(
          result.getErrors().stream()
              .map(issue -> new Problem(offset(result.getSource(), issue), message(issue)))
              .toList());
    }
    try {
      return plan(result.getAst(), schema);
    } catch (CelValidationException | CelEvaluationException e) {
      return refused(0, String.valueOf(e.getMessage()));
    }
  }

  private static Compilation plan(CelAbstractSyntaxTree tree, FeatureSchema schema)
      throws CelEvaluationException {
    CelCheck check = new CelCheck(RUNTIME, tree);
    if (!check.refusals().isEmpty()) {
      return new Compilation.Refused(check.refusals());
    }
    Program program = RUNTIME.createProgram(tree);
    Map<String, Feature> names =
        schema.features().stream().collect(Collectors.toMap(Feature::name, f -> f));
    Condition full = features -> matches(program, names, features);
    Set<String> variables = new LinkedHashSet<>();
    addVariables(tree.getExpr(), variables);
    if (!names.keySet().containsAll(variables)) {
      return new Compilation.Compiled(full, check.failures());
    }
    Feature[] used = variables.stream().map(names::get).toArray(Feature[]::new);
    return new Compilation.Compiled(shortened(full, used, schema), check.failures());
  }

  private static void addVariables(CelExpr expr, Set<String> variables) {
    switch (expr.getKind()) {
      case IDENT -> variables.add(expr.ident().name());
      case CALL -> {
        expr.call().target().ifPresent(target -> addVariables(target, variables));
        expr.call().args().forEach(argument -> addVariables(argument, variables));
      }
      case SELECT -> addVariables(expr.select().operand(), variables);
      case LIST -> expr.list().elements().forEach(item -> addVariables(item, variables));
      case CONSTANT, NOT_SET, MAP, STRUCT, COMPREHENSION -> {}
    }
  }

  /// Most features of most requests have their default value. The result of a condition whose
  /// features all do is known in advance.
  private static Condition shortened(Condition full, Feature[] used, FeatureSchema schema) {
    boolean usual;
    try {
      usual = full.matches(Features.builder(schema).build());
    } catch (EvaluationFailed _) {
      return full;
    }
    return features -> {
      for (Feature feature : used) {
        if (!features.isDefault(feature)) {
          return full.matches(features);
        }
      }
      return usual;
    };
  }

  private static boolean matches(Program program, Map<String, Feature> names, Features features)
      throws EvaluationFailed {
    try {
      return (boolean)
          program.eval(
              name -> {
                Feature feature = names.get(name);
                return feature == null ? Optional.empty() : Optional.of(features.value(feature));
              });
    } catch (CelEvaluationException | RuntimeException e) {
      throw new EvaluationFailed(String.valueOf(e.getMessage()));
    }
  }

  private static CelCompiler compiler(FeatureSchema schema) {
    CelCompilerBuilder builder =
        CelCompilerFactory.standardCelCompilerBuilder()
            .setOptions(OPTIONS)
            .setResultType(SimpleType.BOOL);
    for (Feature feature : schema.features()) {
      builder.addVar(feature.name(), type(feature.type()));
    }
    return builder.build();
  }

  private static CelType type(Feature.Type type) {
    return switch (type) {
      case LONG -> SimpleType.INT;
      case BOOLEAN -> SimpleType.BOOL;
      case DOUBLE -> SimpleType.DOUBLE;
      case STRING -> SimpleType.STRING;
    };
  }

  /// Of a whole number that is too long, CEL tells only the digits.
  private static String message(CelIssue issue) {
    return issue.getMessage().startsWith("For input string")
        ? "This whole number is not between " + Long.MIN_VALUE + " and " + Long.MAX_VALUE + "."
        : issue.getMessage();
  }

  private static int offset(@Nullable CelSource source, CelIssue issue) {
    return source == null ? 0 : source.getLocationOffset(issue.getSourceLocation()).orElse(0);
  }

  private static Compilation refused(int offset, String message) {
    return new Compilation.Refused(List.of(new Problem(offset, message)));
  }
}
