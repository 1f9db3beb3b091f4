@NullMarked
package fairgate.operator.live;

import org.jspecify.annotations.NullMarked;
