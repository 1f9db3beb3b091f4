/// Bans and the allow-list, cached in memory on every node, and the networks of addresses.
@NullMarked
@CheckReturnValue
package fairgate.gate.ban;

import com.google.errorprone.annotations.CheckReturnValue;
import org.jspecify.annotations.NullMarked;
