@NullMarked
package fairgate.prove;

import org.jspecify.annotations.NullMarked;
