/// The visitors of waiting rooms in a proof, and the record of what they did and saw.
@NullMarked
@CheckReturnValue
package fairgate.prove.room;

import com.google.errorprone.annotations.CheckReturnValue;
import org.jspecify.annotations.NullMarked;
