/// Orders to redeem: how their numbers look, and the places where they are looked up.
@NullMarked
@CheckReturnValue
package fairgate.redeem.orders;

import com.google.errorprone.annotations.CheckReturnValue;
import org.jspecify.annotations.NullMarked;
