package fairgate.gate.risk;

import dev.cel.common.CelAbstractSyntaxTree;
import dev.cel.common.ast.CelExpr;
import dev.cel.runtime.CelEvaluationException;
import dev.cel.runtime.CelRuntime;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/// Checks of one type-checked condition that type-checking does not make: no slow functions, maps
/// or deep nesting, and no part that has no value whatever the features are. For one use.
final class CelCheck {
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
