/// Redis (or Valkey) 7 and later: connections, Lua scripts as resources, and micro-batching. The
/// only place that knows the client library.
@NullMarked
@CheckReturnValue
package fairgate.platform.redis;

import com.google.errorprone.annotations.CheckReturnValue;
import org.jspecify.annotations.NullMarked;
