/// The audit log: an append-only hash chain of events, written off the hot path.
///
/// Events wait in memory, in one buffer for each event loop, and one virtual thread writes them to
/// PostgreSQL in batches. All nodes share one chain; a writer holds a lock while it appends. The
/// hashes are keyed: somebody with write access to the database but without the server's keys
/// cannot forge, change or remove a row in the middle unnoticed. The chain alone cannot show that
/// the end of the last day was cut off; therefore each day's last hash is logged, to be stored
/// elsewhere.
@NullMarked
@CheckReturnValue
package fairgate.platform.audit;

import com.google.errorprone.annotations.CheckReturnValue;
import org.jspecify.annotations.NullMarked;
