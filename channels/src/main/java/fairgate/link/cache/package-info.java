/// From a code to its link: in-process, Redis, PostgreSQL, and how changes reach every node.
@NullMarked
@CheckReturnValue
package fairgate.link.cache;

import com.google.errorprone.annotations.CheckReturnValue;
import org.jspecify.annotations.NullMarked;
