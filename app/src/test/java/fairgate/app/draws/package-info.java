/// Draws on a whole server.
@NullMarked
package fairgate.app.draws;

import org.jspecify.annotations.NullMarked;
