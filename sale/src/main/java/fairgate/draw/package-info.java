/// Draws of sales: entries, the course of a draw, and the allocation of its units.
@NullMarked
@CheckReturnValue
package fairgate.draw;

import com.google.errorprone.annotations.CheckReturnValue;
import org.jspecify.annotations.NullMarked;
