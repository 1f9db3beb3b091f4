/// The ledger: outbox events written to PostgreSQL so that any order and any number of repeats
/// gives the same result. Its own rules are a second barrier against overselling.
@NullMarked
@CheckReturnValue
package fairgate.sale.ledger;

import com.google.errorprone.annotations.CheckReturnValue;
import org.jspecify.annotations.NullMarked;
