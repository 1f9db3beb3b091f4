/// PostgreSQL: connection pool, transactions and migrations. Besides the `Postgres*` classes of the
/// features, the only package that uses the client library.
@NullMarked
@CheckReturnValue
package fairgate.platform.postgres;

import com.google.errorprone.annotations.CheckReturnValue;
import org.jspecify.annotations.NullMarked;
