/// The limiter beside its peers, on one Redis, in one run.
@NullMarked
@CheckReturnValue
package fairgate.bench.limit;

import com.google.errorprone.annotations.CheckReturnValue;
import org.jspecify.annotations.NullMarked;
