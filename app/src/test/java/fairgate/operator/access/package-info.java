@NullMarked
package fairgate.operator.access;

import org.jspecify.annotations.NullMarked;
