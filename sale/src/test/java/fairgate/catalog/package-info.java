/// Products and policies on a real PostgreSQL.
@NullMarked
@CheckReturnValue
package fairgate.catalog;

import com.google.errorprone.annotations.CheckReturnValue;
import org.jspecify.annotations.NullMarked;
