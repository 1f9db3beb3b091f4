/// Commands for operators that call a running server.
@NullMarked
@CheckReturnValue
package fairgate.app.client;

import com.google.errorprone.annotations.CheckReturnValue;
import org.jspecify.annotations.NullMarked;
