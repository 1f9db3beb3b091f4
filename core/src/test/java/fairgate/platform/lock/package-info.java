/// Tests of the processing lock on a real Redis.
@NullMarked
@CheckReturnValue
package fairgate.platform.lock;

import com.google.errorprone.annotations.CheckReturnValue;
import org.jspecify.annotations.NullMarked;
