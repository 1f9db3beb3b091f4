/// Forward authentication: `/gate/check` tells a proxy in front of another shop whether a request
/// may pass (ADR 0040).
@NullMarked
@CheckReturnValue
package fairgate.room.check;

import com.google.errorprone.annotations.CheckReturnValue;
import org.jspecify.annotations.NullMarked;
