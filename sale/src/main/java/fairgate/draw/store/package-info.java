/// The logs of draws in PostgreSQL.
@NullMarked
@CheckReturnValue
package fairgate.draw.store;

import com.google.errorprone.annotations.CheckReturnValue;
import org.jspecify.annotations.NullMarked;
