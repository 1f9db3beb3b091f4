/// Appeals of people against refusals, bans and demotions, and the decisions about them.
@NullMarked
@CheckReturnValue
package fairgate.gate.appeal;

import com.google.errorprone.annotations.CheckReturnValue;
import org.jspecify.annotations.NullMarked;
