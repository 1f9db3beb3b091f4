/// Operators and the admin API over every feature.
@NullMarked
@CheckReturnValue
package fairgate.operator;

import com.google.errorprone.annotations.CheckReturnValue;
import org.jspecify.annotations.NullMarked;
