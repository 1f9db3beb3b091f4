/// The verifier of draws. It trusts nothing but the keys that its caller names.
@NullMarked
@CheckReturnValue
package fairgate.draw.verify;

import com.google.errorprone.annotations.CheckReturnValue;
import org.jspecify.annotations.NullMarked;
