/// Bodies that are too long to hold: one that comes in, read as it arrives, and one that goes out,
/// written as the client takes it.
@NullMarked
@CheckReturnValue
package fairgate.platform.http.stream;

import com.google.errorprone.annotations.CheckReturnValue;
import org.jspecify.annotations.NullMarked;
