/// Tests of tickets.
@NullMarked
package fairgate.ticket;

import org.jspecify.annotations.NullMarked;
