/// Protects claims from guessing: attempt budgets, lower limits of misses, bans, and the failure
/// log.
@NullMarked
@CheckReturnValue
package fairgate.redeem.guard;

import com.google.errorprone.annotations.CheckReturnValue;
import org.jspecify.annotations.NullMarked;
