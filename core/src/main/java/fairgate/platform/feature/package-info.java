/// What a feature gives to the server, and what it gets: routes, settings, engines.
@NullMarked
@CheckReturnValue
package fairgate.platform.feature;

import com.google.errorprone.annotations.CheckReturnValue;
import org.jspecify.annotations.NullMarked;
