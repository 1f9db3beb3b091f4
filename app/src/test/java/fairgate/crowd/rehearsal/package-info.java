@NullMarked
package fairgate.crowd.rehearsal;

import org.jspecify.annotations.NullMarked;
