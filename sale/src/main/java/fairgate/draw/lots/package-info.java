/// The order of a draw: seed, lots, seats, and the tests of its distribution.
@NullMarked
@CheckReturnValue
package fairgate.draw.lots;

import com.google.errorprone.annotations.CheckReturnValue;
import org.jspecify.annotations.NullMarked;
