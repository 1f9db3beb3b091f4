/// Tests.
@NullMarked
package fairgate.room;

import org.jspecify.annotations.NullMarked;
