/// The web server: routes, requests and replies, error bodies, statuses, client addresses,
/// server-sent events, traces and graceful shutdown. The only package that uses its library. Also
/// calls to outside services over HTTP.
@NullMarked
@CheckReturnValue
package fairgate.platform.http;

import com.google.errorprone.annotations.CheckReturnValue;
import org.jspecify.annotations.NullMarked;
