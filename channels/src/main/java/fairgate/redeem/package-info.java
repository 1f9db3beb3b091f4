/// Orders of this and other platforms against redemption codes, each once. Sub-packages: `orders`
/// (where orders are looked up), `product` (what redeeming gives), `code` (codes and their life),
/// `guard` (budgets, bans, failures).
@NullMarked
@CheckReturnValue
package fairgate.redeem;

import com.google.errorprone.annotations.CheckReturnValue;
import org.jspecify.annotations.NullMarked;
