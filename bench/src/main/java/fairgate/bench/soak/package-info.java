/// Twenty minutes of mixed traffic at half load, with clients that misbehave beside it: what grows?
@NullMarked
@CheckReturnValue
package fairgate.bench.soak;

import com.google.errorprone.annotations.CheckReturnValue;
import org.jspecify.annotations.NullMarked;
