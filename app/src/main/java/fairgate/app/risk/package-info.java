/// What appeals and operators change about the risk of joins.
@NullMarked
@CheckReturnValue
package fairgate.app.risk;

import com.google.errorprone.annotations.CheckReturnValue;
import org.jspecify.annotations.NullMarked;
