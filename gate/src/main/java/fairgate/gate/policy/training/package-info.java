/// Trains the optional model of a bundle from recorded decisions.
@NullMarked
@CheckReturnValue
package fairgate.gate.policy.training;

import com.google.errorprone.annotations.CheckReturnValue;
import org.jspecify.annotations.NullMarked;
