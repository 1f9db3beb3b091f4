/// Drives a crowd of buyers over HTTP. Knows nothing of the server.
@NullMarked
@CheckReturnValue
package fairgate.crowd;

import com.google.errorprone.annotations.CheckReturnValue;
import org.jspecify.annotations.NullMarked;
