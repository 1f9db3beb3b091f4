/// Buyers whose every reply is kept, and the payment gateway they pay at: what a proof compares
/// with the books. Speaks HTTP only and knows nothing of the server.
@NullMarked
@CheckReturnValue
package fairgate.crowd.proof;

import com.google.errorprone.annotations.CheckReturnValue;
import org.jspecify.annotations.NullMarked;
