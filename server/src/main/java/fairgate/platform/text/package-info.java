/// Message bundles in three languages, and the choice among them.
@NullMarked
@CheckReturnValue
package fairgate.platform.text;

import com.google.errorprone.annotations.CheckReturnValue;
import org.jspecify.annotations.NullMarked;
