/// The parts of a link, checked without I/O: codes with a check character, targets, blocked hosts.
@NullMarked
@CheckReturnValue
package fairgate.link.code;

import com.google.errorprone.annotations.CheckReturnValue;
import org.jspecify.annotations.NullMarked;
