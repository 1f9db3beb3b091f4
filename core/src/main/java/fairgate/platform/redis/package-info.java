/// Redis (or Valkey) 7 and later: connections, Lua scripts and micro-batching. The only package
/// that uses the client library.
@NullMarked
@CheckReturnValue
package fairgate.platform.redis;

import com.google.errorprone.annotations.CheckReturnValue;
import org.jspecify.annotations.NullMarked;
