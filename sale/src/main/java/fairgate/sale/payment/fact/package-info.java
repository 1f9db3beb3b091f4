/// Payments in the ledger, and waiting for them.
@NullMarked
@CheckReturnValue
package fairgate.sale.payment.fact;

import com.google.errorprone.annotations.CheckReturnValue;
import org.jspecify.annotations.NullMarked;
