/// Deposits that buyers pay before the join: PostgreSQL decides about their money, Redis about the
/// place that each gives.
@NullMarked
@CheckReturnValue
package fairgate.sale.deposit;

import com.google.errorprone.annotations.CheckReturnValue;
import org.jspecify.annotations.NullMarked;
