/// Backups: PostgreSQL, and what of Redis must be kept.
@NullMarked
@CheckReturnValue
package fairgate.app.backup;

import com.google.errorprone.annotations.CheckReturnValue;
import org.jspecify.annotations.NullMarked;
