/// Watching a sale while it runs, and its report afterwards.
@NullMarked
@CheckReturnValue
package fairgate.operator.live;

import com.google.errorprone.annotations.CheckReturnValue;
import org.jspecify.annotations.NullMarked;
