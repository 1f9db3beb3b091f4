/// Simulated buyers and bots against a running server, and a report of the result.
@NullMarked
@CheckReturnValue
package fairgate.crowd.rehearsal;

import com.google.errorprone.annotations.CheckReturnValue;
import org.jspecify.annotations.NullMarked;
