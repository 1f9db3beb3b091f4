/// The program: `main`, its commands, the configuration, and the order of start and stop. No other
/// package imports it. The real clock and random source enter here.
@NullMarked
@CheckReturnValue
package fairgate.app;

import com.google.errorprone.annotations.CheckReturnValue;
import org.jspecify.annotations.NullMarked;
