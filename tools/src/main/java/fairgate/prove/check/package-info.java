/// The invariants and their checks. They read the ledger, Redis and the journal of replies
/// themselves, with no code of the server.
@NullMarked
@CheckReturnValue
package fairgate.prove.check;

import com.google.errorprone.annotations.CheckReturnValue;
import org.jspecify.annotations.NullMarked;
