/// Bounded counts of recent events in memory.
@NullMarked
@CheckReturnValue
package fairgate.gate.count;

import com.google.errorprone.annotations.CheckReturnValue;
import org.jspecify.annotations.NullMarked;
