/// The gate: decides whether a request may pass, and asks for a solved challenge before a join.
@NullMarked
@CheckReturnValue
package fairgate.gate;

import com.google.errorprone.annotations.CheckReturnValue;
import org.jspecify.annotations.NullMarked;
