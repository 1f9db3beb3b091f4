/// Tests of the settings.
@NullMarked
@CheckReturnValue
package fairgate.app.config;

import com.google.errorprone.annotations.CheckReturnValue;
import org.jspecify.annotations.NullMarked;
