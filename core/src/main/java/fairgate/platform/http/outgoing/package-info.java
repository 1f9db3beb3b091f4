/// Calls to outside services over HTTP.
@NullMarked
@CheckReturnValue
package fairgate.platform.http.outgoing;

import com.google.errorprone.annotations.CheckReturnValue;
import org.jspecify.annotations.NullMarked;
