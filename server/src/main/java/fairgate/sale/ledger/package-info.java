/// The ledger: what the outbox says, written into PostgreSQL so that any order and any number of
/// repeats gives the same books, behind a barrier of its own against overselling.
@NullMarked
@CheckReturnValue
package fairgate.sale.ledger;

import com.google.errorprone.annotations.CheckReturnValue;
import org.jspecify.annotations.NullMarked;
