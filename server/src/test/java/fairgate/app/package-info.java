@NullMarked
package fairgate.app;

import org.jspecify.annotations.NullMarked;
