/// The waiting list of a sold-out sale: units that come back are reserved for people in the order
/// of their registration.
@NullMarked
@CheckReturnValue
package fairgate.standby;

import com.google.errorprone.annotations.CheckReturnValue;
import org.jspecify.annotations.NullMarked;
