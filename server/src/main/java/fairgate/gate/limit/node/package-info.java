/// The nodes that share the limits: how many there are, and whether one is alone.
@NullMarked
@CheckReturnValue
package fairgate.gate.limit.node;

import com.google.errorprone.annotations.CheckReturnValue;
import org.jspecify.annotations.NullMarked;
