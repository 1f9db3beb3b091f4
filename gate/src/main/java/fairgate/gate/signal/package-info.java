/// Signals: evidence about requests, as features of the risk score. A signal never decides alone.
@NullMarked
@CheckReturnValue
package fairgate.gate.signal;

import com.google.errorprone.annotations.CheckReturnValue;
import org.jspecify.annotations.NullMarked;
