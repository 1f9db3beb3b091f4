/// Draws on a whole server.
@NullMarked
package fairgate.draw;

import org.jspecify.annotations.NullMarked;
