@NullMarked
package fairgate.app.retention;

import org.jspecify.annotations.NullMarked;
