/// The audit log: what happened, chained and append-only, written off the hot path.
///
/// Events wait in memory, in a ring for each event loop, and one virtual thread writes them to
/// PostgreSQL in batches. There is one chain of hashes for all nodes: whoever appends holds a lock
/// for the moment it takes. Hashes are keyed, so whoever can write to the database but does not
/// hold the server's keys cannot forge a row, change one, or take one out of the middle unnoticed.
/// What a chain by itself cannot show is a cut-off end of the last day; each day's last hash is
/// logged, to be kept elsewhere.
@NullMarked
@CheckReturnValue
package fairgate.platform.audit;

import com.google.errorprone.annotations.CheckReturnValue;
import org.jspecify.annotations.NullMarked;
