/// Append-only facts on their way out of Redis: the relay that reads each sale's outbox stream and
/// hands it on, at least once and without loss.
@NullMarked
@CheckReturnValue
package fairgate.platform.events;

import com.google.errorprone.annotations.CheckReturnValue;
import org.jspecify.annotations.NullMarked;
