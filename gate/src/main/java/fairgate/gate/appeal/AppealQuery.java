package fairgate.gate.appeal;

import fairgate.kernel.ProductId;
import org.jspecify.annotations.Nullable;

/// A query for appeals: open ones by deadline, the most urgent first; others and all by id, the
/// newest first.
///
/// @param overdue only those whose deadline has passed
/// @param rule only decisions to which this rule contributed
/// @param afterDue the deadline of the last appeal of the previous page, ms; 0 for the first page
/// @param after its id; 0 for the first page
/// @param limit maximum number of appeals
public record AppealQuery(
    Appeal.@Nullable State state,
    boolean overdue,
    @Nullable ProductId product,
    @Nullable String code,
    @Nullable String rule,
    long afterDue,
    long after,
    int limit) {
  /// Whether the order is that of the deadlines.
  boolean isQueue() {
    return state == Appeal.State.OPEN;
  }
}
