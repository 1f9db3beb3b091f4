/// Risk and appeals on a whole server.
@NullMarked
package fairgate.app.risk;

import org.jspecify.annotations.NullMarked;
