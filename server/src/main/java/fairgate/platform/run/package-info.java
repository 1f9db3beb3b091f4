/// Blocking work on virtual threads, and periodic jobs.
@NullMarked
@CheckReturnValue
package fairgate.platform.run;

import com.google.errorprone.annotations.CheckReturnValue;
import org.jspecify.annotations.NullMarked;
