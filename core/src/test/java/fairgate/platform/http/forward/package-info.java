@NullMarked
package fairgate.platform.http.forward;

import org.jspecify.annotations.NullMarked;
