/// The two-stage queue (waiting, then active), its ready slots, the purchase tokens of ready
/// sessions, and the invitations to the tiers of a sale. Keys: `docs/redis-keys.md`.
@NullMarked
@CheckReturnValue
package fairgate.queue;

import com.google.errorprone.annotations.CheckReturnValue;
import org.jspecify.annotations.NullMarked;
