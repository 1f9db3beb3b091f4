/// The LINE channel: a webhook that acknowledges at once, an inbox that processes each event once,
/// and a processing lock for each actor.
@NullMarked
@CheckReturnValue
package fairgate.line;

import com.google.errorprone.annotations.CheckReturnValue;
import org.jspecify.annotations.NullMarked;
