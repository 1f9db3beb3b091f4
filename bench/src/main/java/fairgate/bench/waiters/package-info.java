/// Simulated browsers of a waiting room.
@NullMarked
package fairgate.bench.waiters;

import org.jspecify.annotations.NullMarked;
