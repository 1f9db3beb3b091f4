/// The relay between a real Redis and a real PostgreSQL.
@NullMarked
@CheckReturnValue
package fairgate.platform.events;

import com.google.errorprone.annotations.CheckReturnValue;
import org.jspecify.annotations.NullMarked;
