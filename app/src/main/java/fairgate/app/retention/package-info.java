/// Removes what is kept for a time only.
@NullMarked
@CheckReturnValue
package fairgate.app.retention;

import com.google.errorprone.annotations.CheckReturnValue;
import org.jspecify.annotations.NullMarked;
