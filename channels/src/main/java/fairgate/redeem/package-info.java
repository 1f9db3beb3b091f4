/// Redemption codes for orders of this and other platforms, one per order and product.
/// Sub-packages: `orders` (order lookup), `code` (codes and their lifecycle), `guard` (budgets,
/// bans, failure log), `transfer` (imports and exports).
@NullMarked
@CheckReturnValue
package fairgate.redeem;

import com.google.errorprone.annotations.CheckReturnValue;
import org.jspecify.annotations.NullMarked;
