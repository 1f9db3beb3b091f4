/// Metrics, and the health of dependencies.
@NullMarked
@CheckReturnValue
package fairgate.platform.observe;

import com.google.errorprone.annotations.CheckReturnValue;
import org.jspecify.annotations.NullMarked;
