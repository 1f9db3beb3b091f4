/// Values and interfaces without I/O: typed ids, money, signed tokens, error codes, and outcomes
/// that two features share. Every package may use it; it uses none.
@NullMarked
@CheckReturnValue
package fairgate.kernel;

import com.google.errorprone.annotations.CheckReturnValue;
import org.jspecify.annotations.NullMarked;
