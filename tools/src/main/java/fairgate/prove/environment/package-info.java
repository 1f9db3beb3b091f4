/// The environment of a proof: real engines and nodes as processes that can be killed, and proxies
/// between them that can be held or cut.
@NullMarked
@CheckReturnValue
package fairgate.prove.environment;

import com.google.errorprone.annotations.CheckReturnValue;
import org.jspecify.annotations.NullMarked;
