/// JSON: a strict parser for small objects, and a writer into UTF-8 bytes.
@NullMarked
@CheckReturnValue
package fairgate.platform.json;

import com.google.errorprone.annotations.CheckReturnValue;
import org.jspecify.annotations.NullMarked;
