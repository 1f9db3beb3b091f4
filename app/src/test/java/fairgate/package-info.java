/// What the tests of several packages share.
@NullMarked
@CheckReturnValue
package fairgate;

import com.google.errorprone.annotations.CheckReturnValue;
import org.jspecify.annotations.NullMarked;
