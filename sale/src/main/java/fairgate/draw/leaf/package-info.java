/// The rules of a draw and the leaves of its two logs.
@NullMarked
@CheckReturnValue
package fairgate.draw.leaf;

import com.google.errorprone.annotations.CheckReturnValue;
import org.jspecify.annotations.NullMarked;
