/// What keeps claims from being guessed: budgets per caller, a tight one for misses, bans, and the
/// record of failures.
@NullMarked
@CheckReturnValue
package fairgate.redeem.guard;

import com.google.errorprone.annotations.CheckReturnValue;
import org.jspecify.annotations.NullMarked;
