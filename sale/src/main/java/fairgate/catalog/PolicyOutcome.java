package fairgate.catalog;

import java.util.List;

/// The outcome of reading a policy.
public sealed interface PolicyOutcome {
  record Valid(SalePolicy policy) implements PolicyOutcome {}

  /// The text is not a valid policy; all problems are listed.
  record Invalid(List<PolicyProblem> problems) implements PolicyOutcome {}
}
