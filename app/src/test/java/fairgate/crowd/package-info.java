@NullMarked
package fairgate.crowd;

import org.jspecify.annotations.NullMarked;
