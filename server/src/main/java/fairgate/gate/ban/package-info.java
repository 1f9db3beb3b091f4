/// Who is kept out, and who is always let in: bans and the allow-list, in memory on every node.
@NullMarked
@CheckReturnValue
package fairgate.gate.ban;

import com.google.errorprone.annotations.CheckReturnValue;
import org.jspecify.annotations.NullMarked;
