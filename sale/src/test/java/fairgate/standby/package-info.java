/// Waiting lists on a real PostgreSQL.
@NullMarked
package fairgate.standby;

import org.jspecify.annotations.NullMarked;
