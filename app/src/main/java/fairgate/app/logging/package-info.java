/// Parts of the log configuration, named in `logback-*.xml`.
@NullMarked
@CheckReturnValue
package fairgate.app.logging;

import com.google.errorprone.annotations.CheckReturnValue;
import org.jspecify.annotations.NullMarked;
