/// Operators, and the part of the admin API that needs several features.
@NullMarked
@CheckReturnValue
package fairgate.operator;

import com.google.errorprone.annotations.CheckReturnValue;
import org.jspecify.annotations.NullMarked;
