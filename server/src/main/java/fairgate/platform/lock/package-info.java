/// The processing lock: one actor's requests are worked on one at a time, on all nodes together.
@NullMarked
@CheckReturnValue
package fairgate.platform.lock;

import com.google.errorprone.annotations.CheckReturnValue;
import org.jspecify.annotations.NullMarked;
