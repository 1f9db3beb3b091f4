/// Client addresses behind proxies.
@NullMarked
@CheckReturnValue
package fairgate.platform.http.forward;

import com.google.errorprone.annotations.CheckReturnValue;
import org.jspecify.annotations.NullMarked;
