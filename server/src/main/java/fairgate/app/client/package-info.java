/// Commands that speak to a running server, as an operator.
@NullMarked
@CheckReturnValue
package fairgate.app.client;

import com.google.errorprone.annotations.CheckReturnValue;
import org.jspecify.annotations.NullMarked;
