/// Redemption codes for orders of this and other platforms, one per order and product.
/// Sub-packages: `orders` (order lookup), `product` (products and the validity of their codes),
/// `code` (codes and their lifecycle), `guard` (budgets, bans, failure log).
@NullMarked
@CheckReturnValue
package fairgate.redeem;

import com.google.errorprone.annotations.CheckReturnValue;
import org.jspecify.annotations.NullMarked;
