/// How many people share an address, and what that means for the limits.
@NullMarked
@CheckReturnValue
package fairgate.gate.address;

import com.google.errorprone.annotations.CheckReturnValue;
import org.jspecify.annotations.NullMarked;
