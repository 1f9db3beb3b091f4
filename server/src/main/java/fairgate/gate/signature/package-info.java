/// Requests that programs sign with a key of their own (HMAC, RFC 9421), so that nobody can change,
/// forge or repeat them; and the keys, which operators hand out and take back.
@NullMarked
@CheckReturnValue
package fairgate.gate.signature;

import com.google.errorprone.annotations.CheckReturnValue;
import org.jspecify.annotations.NullMarked;
