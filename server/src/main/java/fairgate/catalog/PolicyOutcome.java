package fairgate.catalog;

import java.util.List;

/// What became of reading a policy.
public sealed interface PolicyOutcome {
  /// The policy is complete and within all bounds.
  record Valid(SalePolicy policy) implements PolicyOutcome {}

  /// The text is no policy; every problem is listed.
  record Invalid(List<PolicyProblem> problems) implements PolicyOutcome {}
}
