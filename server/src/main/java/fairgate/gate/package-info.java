/// May this request pass? Asks for a challenge's proof before a place in a queue is given.
@NullMarked
@CheckReturnValue
package fairgate.gate;

import com.google.errorprone.annotations.CheckReturnValue;
import org.jspecify.annotations.NullMarked;
