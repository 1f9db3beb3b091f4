/// Rate limits over several dimensions of a request, decided in one Redis script. Cached decisions
/// are exact, too.
@NullMarked
@CheckReturnValue
package fairgate.gate.limit;

import com.google.errorprone.annotations.CheckReturnValue;
import org.jspecify.annotations.NullMarked;
