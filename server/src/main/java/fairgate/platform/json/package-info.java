/// JSON: a strict reader of small objects, and a writer that puts text straight into bytes.
@NullMarked
@CheckReturnValue
package fairgate.platform.json;

import com.google.errorprone.annotations.CheckReturnValue;
import org.jspecify.annotations.NullMarked;
