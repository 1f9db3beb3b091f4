/// TLS to the engines.
@NullMarked
package fairgate.app.tls;

import org.jspecify.annotations.NullMarked;
