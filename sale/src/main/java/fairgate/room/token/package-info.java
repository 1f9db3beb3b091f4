/// The signed tokens of waiting rooms, their keys and the signed return URLs; see ADR 0040.
@NullMarked
@CheckReturnValue
package fairgate.room.token;

import com.google.errorprone.annotations.CheckReturnValue;
import org.jspecify.annotations.NullMarked;
