/// A draw of a proof, its entrants, and the beacon that decides it.
@NullMarked
@CheckReturnValue
package fairgate.prove.draw;

import com.google.errorprone.annotations.CheckReturnValue;
import org.jspecify.annotations.NullMarked;
