/// Redis and PostgreSQL as children of the server: unpacked from the jar (Redis found, where the
/// machine has a faster one), started on this machine only, watched, restarted, and stopped with
/// the server, however it ends.
///
/// Each engine runs under a small shell supervisor that holds the server's pipe: when the pipe
/// closes, by `close()` or by the server's death, the supervisor stops its engine. What even that
/// leaves behind (a killed supervisor) is found by its command line at the next start.
@NullMarked
@CheckReturnValue
package fairgate.platform.embedded;

import com.google.errorprone.annotations.CheckReturnValue;
import org.jspecify.annotations.NullMarked;
