/// Measurements of Fairgate against its engines and its peers. Never shipped.
@NullMarked
@CheckReturnValue
package fairgate.bench;

import com.google.errorprone.annotations.CheckReturnValue;
import org.jspecify.annotations.NullMarked;
