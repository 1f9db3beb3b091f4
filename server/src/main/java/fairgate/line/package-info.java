/// The LINE channel: a webhook that answers at once, an inbox that loses nothing and answers
/// nothing twice, and one piece of work at a time for each actor.
@NullMarked
@CheckReturnValue
package fairgate.line;

import com.google.errorprone.annotations.CheckReturnValue;
import org.jspecify.annotations.NullMarked;
