/// The processing lock: the requests of one actor are processed one at a time, across all nodes.
@NullMarked
@CheckReturnValue
package fairgate.platform.lock;

import com.google.errorprone.annotations.CheckReturnValue;
import org.jspecify.annotations.NullMarked;
