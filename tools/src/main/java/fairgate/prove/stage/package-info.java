/// What a proof is played on: real engines and nodes as processes that may be killed, and wires
/// between them that may be held or cut.
@NullMarked
@CheckReturnValue
package fairgate.prove.stage;

import com.google.errorprone.annotations.CheckReturnValue;
import org.jspecify.annotations.NullMarked;
