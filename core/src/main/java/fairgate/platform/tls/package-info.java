/// TLS to the engines: the PEM files of the settings, and what a server presents.
@NullMarked
@CheckReturnValue
package fairgate.platform.tls;

import com.google.errorprone.annotations.CheckReturnValue;
import org.jspecify.annotations.NullMarked;
