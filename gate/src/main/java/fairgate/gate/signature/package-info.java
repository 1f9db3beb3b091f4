/// Signed requests of programs (HMAC, RFC 9421), which nobody can alter, forge or replay, and the
/// keys, which operators create and revoke.
@NullMarked
@CheckReturnValue
package fairgate.gate.signature;

import com.google.errorprone.annotations.CheckReturnValue;
import org.jspecify.annotations.NullMarked;
