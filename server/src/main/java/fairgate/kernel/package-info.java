/// Values and seams without I/O: typed ids, money, signed tokens, error codes, and the outcomes two
/// features share. Every package may use it; it uses nothing.
@NullMarked
@CheckReturnValue
package fairgate.kernel;

import com.google.errorprone.annotations.CheckReturnValue;
import org.jspecify.annotations.NullMarked;
