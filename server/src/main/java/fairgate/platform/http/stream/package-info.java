/// What lies between requests and the wire: bodies too long to hold, read as they arrive and
/// written as the client takes them; when and in how many pieces replies are sent; how long
/// connections and their other ends are borne with.
@NullMarked
@CheckReturnValue
package fairgate.platform.http.stream;

import com.google.errorprone.annotations.CheckReturnValue;
import org.jspecify.annotations.NullMarked;
