/// Redemption codes: how they look, how they are kept, and their life from `available` to its end.
@NullMarked
@CheckReturnValue
package fairgate.redeem.code;

import com.google.errorprone.annotations.CheckReturnValue;
import org.jspecify.annotations.NullMarked;
