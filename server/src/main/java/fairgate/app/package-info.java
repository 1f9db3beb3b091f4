/// The program: `main`, its commands, the configuration, and the order in which everything starts
/// and stops. Nobody imports it; the clock and chance of the real world enter here.
@NullMarked
@CheckReturnValue
package fairgate.app;

import com.google.errorprone.annotations.CheckReturnValue;
import org.jspecify.annotations.NullMarked;
