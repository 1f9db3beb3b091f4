/// Tests.
@NullMarked
package fairgate.room.token;

import org.jspecify.annotations.NullMarked;
