/// Waiting rooms on a whole server.
@NullMarked
package fairgate.room;

import org.jspecify.annotations.NullMarked;
