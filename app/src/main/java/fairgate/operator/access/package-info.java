/// Operators of the admin API and the console: names, roles, sign-in, sessions and tokens.
@NullMarked
@CheckReturnValue
package fairgate.operator.access;

import com.google.errorprone.annotations.CheckReturnValue;
import org.jspecify.annotations.NullMarked;
