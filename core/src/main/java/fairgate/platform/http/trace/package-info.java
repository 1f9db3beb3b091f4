/// Spans of requests for an OpenTelemetry collector.
@NullMarked
@CheckReturnValue
package fairgate.platform.http.trace;

import com.google.errorprone.annotations.CheckReturnValue;
import org.jspecify.annotations.NullMarked;
