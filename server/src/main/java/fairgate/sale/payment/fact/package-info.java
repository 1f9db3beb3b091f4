/// What the ledger knows of payments, and waiting until it does.
@NullMarked
@CheckReturnValue
package fairgate.sale.payment.fact;

import com.google.errorprone.annotations.CheckReturnValue;
import org.jspecify.annotations.NullMarked;
