/// Sign-in with passkeys (WebAuthn). Yubico's library verifies what authenticators answer; this
/// package keeps the challenges, the credentials and their counters.
@NullMarked
@CheckReturnValue
package fairgate.account.passkey;

import com.google.errorprone.annotations.CheckReturnValue;
import org.jspecify.annotations.NullMarked;
