/// Counting: clicks off the redirect path, and visits where a link has a limit.
@NullMarked
@CheckReturnValue
package fairgate.link.click;

import com.google.errorprone.annotations.CheckReturnValue;
import org.jspecify.annotations.NullMarked;
