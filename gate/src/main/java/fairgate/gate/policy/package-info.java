/// Versions of the risk policy: publication, backtest, canary, activation and rollback.
@NullMarked
@CheckReturnValue
package fairgate.gate.policy;

import com.google.errorprone.annotations.CheckReturnValue;
import org.jspecify.annotations.NullMarked;
