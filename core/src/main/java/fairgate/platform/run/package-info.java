/// Blocking work on virtual threads, periodic jobs, and batches of calls.
@NullMarked
@CheckReturnValue
package fairgate.platform.run;

import com.google.errorprone.annotations.CheckReturnValue;
import org.jspecify.annotations.NullMarked;
