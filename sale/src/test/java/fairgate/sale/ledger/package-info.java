/// The books on a real PostgreSQL.
@NullMarked
@CheckReturnValue
package fairgate.sale.ledger;

import com.google.errorprone.annotations.CheckReturnValue;
import org.jspecify.annotations.NullMarked;
