/// Connections and body streams: streamed request and response bodies, batched flushing, timeouts,
/// half-closed connections, and strict decoding.
@NullMarked
@CheckReturnValue
package fairgate.platform.http.stream;

import com.google.errorprone.annotations.CheckReturnValue;
import org.jspecify.annotations.NullMarked;
