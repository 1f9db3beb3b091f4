/// Blocking work on virtual threads, periodic jobs, batches of calls, and limits of calls in
/// memory.
@NullMarked
@CheckReturnValue
package fairgate.platform.run;

import com.google.errorprone.annotations.CheckReturnValue;
import org.jspecify.annotations.NullMarked;
