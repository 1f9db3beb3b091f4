/// Redeemable products, by the seller's own ids.
@NullMarked
@CheckReturnValue
package fairgate.redeem.product;

import com.google.errorprone.annotations.CheckReturnValue;
import org.jspecify.annotations.NullMarked;
