/// What happens to a reservation after it was taken: payment, its deadline, release, refund.
///
/// An order's state lives in Redis and moves by scripts that compare before they set, so buyers,
/// gateways and every node may all act at once and any number of times. A payment provider is asked
/// over the `PaymentProvider` port; what it says decides, a silence decides nothing.
@NullMarked
@CheckReturnValue
package fairgate.sale.payment;

import com.google.errorprone.annotations.CheckReturnValue;
import org.jspecify.annotations.NullMarked;
