@NullMarked
package fairgate.platform.redis;

import org.jspecify.annotations.NullMarked;
