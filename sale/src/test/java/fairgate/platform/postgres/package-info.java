/// Transactions and migrations on a real PostgreSQL.
@NullMarked
@CheckReturnValue
package fairgate.platform.postgres;

import com.google.errorprone.annotations.CheckReturnValue;
import org.jspecify.annotations.NullMarked;
