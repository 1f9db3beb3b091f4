/// Redis and PostgreSQL as child processes of the server: unpacked from the jar (or an installed,
/// faster Redis), started for this machine only, supervised, restarted, and stopped with the
/// server, however it ends.
///
/// Each engine runs under a small shell supervisor that holds a pipe to the server. When the pipe
/// closes, by `close()` or because the server died, the supervisor stops its engine. Engines that
/// remain after a killed supervisor are found by their command line at the next start.
@NullMarked
@CheckReturnValue
package fairgate.platform.embedded;

import com.google.errorprone.annotations.CheckReturnValue;
import org.jspecify.annotations.NullMarked;
