/// Tests of short links.
@NullMarked
@CheckReturnValue
package fairgate.link;

import com.google.errorprone.annotations.CheckReturnValue;
import org.jspecify.annotations.NullMarked;
