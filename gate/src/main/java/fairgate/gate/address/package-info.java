/// Estimates how many people share an address, for the rate limits.
@NullMarked
@CheckReturnValue
package fairgate.gate.address;

import com.google.errorprone.annotations.CheckReturnValue;
import org.jspecify.annotations.NullMarked;
