/// Reservations after the purchase: payment, deadline, release, refund.
///
/// An order's state is in Redis and changes by scripts that compare before they set, so buyers,
/// gateways and all nodes may act at once and any number of times. Providers are called by the
/// `PaymentProvider` port. Their reply decides; without a reply nothing changes.
@NullMarked
@CheckReturnValue
package fairgate.sale.payment;

import com.google.errorprone.annotations.CheckReturnValue;
import org.jspecify.annotations.NullMarked;
