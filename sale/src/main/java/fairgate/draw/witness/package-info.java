/// A witness of transparency logs: it signs what it has seen, and refuses forks (C2SP
/// tlog-witness).
@NullMarked
@CheckReturnValue
package fairgate.draw.witness;

import com.google.errorprone.annotations.CheckReturnValue;
import org.jspecify.annotations.NullMarked;
