/// What an operator sees: metrics, and the health of every dependency.
@NullMarked
@CheckReturnValue
package fairgate.platform.observe;

import com.google.errorprone.annotations.CheckReturnValue;
import org.jspecify.annotations.NullMarked;
