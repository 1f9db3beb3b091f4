/// PostgreSQL: the pool, transactions and migrations. The only place, besides the `Postgres*`
/// classes of the features, that knows the client library.
@NullMarked
@CheckReturnValue
package fairgate.platform.postgres;

import com.google.errorprone.annotations.CheckReturnValue;
import org.jspecify.annotations.NullMarked;
