/// Deposits that buyers pay before the join: PostgreSQL decides about their money, Redis about the
/// place that each gives.
@NullMarked
package fairgate.sale.deposit;

import org.jspecify.annotations.NullMarked;
