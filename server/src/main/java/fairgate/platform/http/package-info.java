/// The only place that knows the web server: routes, requests and replies, the error body, the
/// status map, the client's address, server-sent events, and a stop that lets running requests
/// finish.
@NullMarked
@CheckReturnValue
package fairgate.platform.http;

import com.google.errorprone.annotations.CheckReturnValue;
import org.jspecify.annotations.NullMarked;
