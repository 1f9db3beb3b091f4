/// Receipts: a message to the buyer of each order that was paid or refunded.
@NullMarked
@CheckReturnValue
package fairgate.sale.receipt;

import com.google.errorprone.annotations.CheckReturnValue;
import org.jspecify.annotations.NullMarked;
