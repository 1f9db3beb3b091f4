/// Tests.
@NullMarked
package fairgate.room.check;

import org.jspecify.annotations.NullMarked;
