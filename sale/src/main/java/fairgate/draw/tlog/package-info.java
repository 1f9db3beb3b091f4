/// Merkle trees, tiles, signed notes and proofs of transparency logs (RFC 6962, C2SP); see
/// docs/api/draw-format.md.
@NullMarked
@CheckReturnValue
package fairgate.draw.tlog;

import com.google.errorprone.annotations.CheckReturnValue;
import org.jspecify.annotations.NullMarked;
