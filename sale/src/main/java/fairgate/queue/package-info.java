/// The two-stage queue (waiting, then active), its ready slots, and the purchase tokens of ready
/// sessions. Keys: `docs/redis-keys.md`.
@NullMarked
@CheckReturnValue
package fairgate.queue;

import com.google.errorprone.annotations.CheckReturnValue;
import org.jspecify.annotations.NullMarked;
