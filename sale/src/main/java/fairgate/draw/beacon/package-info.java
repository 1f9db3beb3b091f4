/// Public randomness: drand chains and their BLS signatures.
@NullMarked
@CheckReturnValue
package fairgate.draw.beacon;

import com.google.errorprone.annotations.CheckReturnValue;
import org.jspecify.annotations.NullMarked;
