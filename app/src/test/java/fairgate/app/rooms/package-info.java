/// Waiting rooms on a whole server.
@NullMarked
package fairgate.app.rooms;

import org.jspecify.annotations.NullMarked;
