/// Buyers that record every reply, and their payment gateway: the input of a proof's comparisons.
/// Uses HTTP only and knows nothing of the server.
@NullMarked
@CheckReturnValue
package fairgate.crowd.proof;

import com.google.errorprone.annotations.CheckReturnValue;
import org.jspecify.annotations.NullMarked;
