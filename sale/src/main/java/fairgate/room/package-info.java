/// Waiting rooms in front of any site: rooms, tickets, heads and admission. Keys:
/// `docs/redis-keys.md`; decisions: ADR 0040 and 0041.
@NullMarked
@CheckReturnValue
package fairgate.room;

import com.google.errorprone.annotations.CheckReturnValue;
import org.jspecify.annotations.NullMarked;
