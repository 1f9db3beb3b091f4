/// Stock, reservations and the payment window, from a ready place to an order in the ledger. Keys:
/// `docs/redis-keys.md`. Sub-packages: `ledger` (PostgreSQL), `payment` (providers and deadlines),
/// `webhook` (order events).
@NullMarked
@CheckReturnValue
package fairgate.sale;

import com.google.errorprone.annotations.CheckReturnValue;
import org.jspecify.annotations.NullMarked;
