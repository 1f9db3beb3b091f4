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
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/// Conditions in the Common Expression Language, without macros, so without loops.
public final class CelRuleEngine implements RuleEngine {
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

  @Override
  public Compilation compile(String expression, FeatureSchema schema) {
    return COMPILED.get(new Source(expression, schema), CelRuleEngine::compile);
  }

  private static Compilation compile(Source source) {
    String expression = source.expression();
    FeatureSchema schema = source.schema();
    if (expression.length() > LONGEST) {
      return refused(0, "The condition has more than " + LONGEST + " characters.");
    }
    CelValidationResult result =
        COMPILERS.computeIfAbsent(schema, CelRuleEngine::compiler).compile(expression);
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

  /// Checks of one type-checked condition that type-checking does not make: no slow functions, maps
  /// or deep nesting, and no part that has no value whatever the features are. For one use.
  private static final class CelCheck {
    /// Functions whose cost an author cannot see: each call would compile its pattern again.
    private static final List<String> REFUSED = List.of("matches");

    private static final Pattern PREFIX = Pattern.compile("^evaluation error( at [^:]*:\\d+)?: ");

    private final CelRuntime runtime;
    private final CelAbstractSyntaxTree tree;
    private final List<RuleEngine.Problem> refusals = new ArrayList<>();
    private final List<RuleEngine.Problem> failures = new ArrayList<>();

    CelCheck(CelRuntime runtime, CelAbstractSyntaxTree tree) {
      this.runtime = runtime;
      this.tree = tree;
      CelExpr root = tree.getExpr();
      if (check(root, 1) && !(value(root) instanceof Boolean)) {
        failures.add(new RuleEngine.Problem(offset(root), "This is not true or false."));
      }
    }

    /// Errors that make the condition unusable.
    List<RuleEngine.Problem> refusals() {
      return refusals;
    }

    /// Parts without variables that have no value, such as `1 / (3 - 3)`. The condition can be
    /// evaluated, and fails when it comes to such a part.
    List<RuleEngine.Problem> failures() {
      return failures;
    }

    /// Whether the expression has a value and no variables.
    private boolean check(CelExpr expr, int depth) {
      if (depth > RuleEngine.DEEPEST) {
        refuse(expr, "The condition has more than " + RuleEngine.DEEPEST + " levels.");
        return false;
      }
      return switch (expr.getKind()) {
        case CALL -> checkCall(expr, depth);
        case SELECT -> check(expr.select().operand(), depth + 1) && hasValue(expr);
        case LIST -> checkAll(expr.list().elements(), depth);
        case CONSTANT -> true;
        case IDENT, NOT_SET -> false;
        case MAP, STRUCT, COMPREHENSION -> {
          refuse(expr, "Maps, messages and loops are not allowed.");
          yield false;
        }
      };
    }

    private boolean checkAll(List<CelExpr> parts, int depth) {
      boolean constant = true;
      for (CelExpr part : parts) {
        constant &= check(part, depth + 1);
      }
      return constant;
    }

    private boolean checkCall(CelExpr expr, int depth) {
      CelExpr.CelCall call = expr.call();
      List<CelExpr> parts = new ArrayList<>(call.args());
      call.target().ifPresent(target -> parts.addFirst(target));
      if (REFUSED.contains(call.function())) {
        refuse(expr, call.function() + " is not allowed; compare with a list.");
        return false;
      }
      boolean constant = checkAll(parts, depth);
      boolean divides = call.function().equals("_/_") || call.function().equals("_%_");
      if (divides && isZero(parts.getLast())) {
        failures.add(new RuleEngine.Problem(offset(expr), "This divides by zero."));
        return false;
      }
      return constant && hasValue(expr);
    }

    /// Whether an expression without variables is the number 0. Decimals as well: infinity is no
    /// number that a rule wants.
    private boolean isZero(CelExpr expr) {
      return !hasVariables(expr) && value(expr) instanceof Number number && number.doubleValue() == 0;
    }

    private static boolean hasVariables(CelExpr expr) {
      return switch (expr.getKind()) {
        case CONSTANT -> false;
        case CALL ->
            expr.call().target().filter(CelCheck::hasVariables).isPresent()
                || expr.call().args().stream().anyMatch(CelCheck::hasVariables);
        case SELECT -> hasVariables(expr.select().operand());
        case LIST -> expr.list().elements().stream().anyMatch(CelCheck::hasVariables);
        case IDENT, NOT_SET, MAP, STRUCT, COMPREHENSION -> true;
      };
    }

    private boolean hasValue(CelExpr constant) {
      try {
        var _ = evaluate(constant);
        return true;
      } catch (CelEvaluationException | RuntimeException e) {
        String cause = PREFIX.matcher(String.valueOf(e.getMessage())).replaceFirst("");
        failures.add(new RuleEngine.Problem(offset(constant), "This never has a value: " + cause));
        return false;
      }
    }

    /// The value of an expression without variables; null for none.
    private @Nullable Object value(CelExpr constant) {
      try {
        return evaluate(constant);
      } catch (CelEvaluationException | RuntimeException _) {
        return null;
      }
    }

    private Object evaluate(CelExpr constant) throws CelEvaluationException {
      CelAbstractSyntaxTree part =
          CelAbstractSyntaxTree.newCheckedAst(
              constant, tree.getSource(), tree.getReferenceMap(), tree.getTypeMap());
      return runtime.createProgram(part).eval();
    }

    private void refuse(CelExpr expr, String message) {
      refusals.add(new RuleEngine.Problem(offset(expr), message));
    }

    private int offset(CelExpr expr) {
      return tree.getSource().getPositionsMap().getOrDefault(expr.id(), 0);
    }
  }
}
