/// Sign-in with OpenID Connect: the authorization code flow with PKCE, state and nonce. The library
/// of Nimbus reads metadata and verifies ID tokens; this package adds deadlines, one-use tickets
/// and the links between persons there and accounts here.
@NullMarked
@CheckReturnValue
package fairgate.account.oidc;

import com.google.errorprone.annotations.CheckReturnValue;
import org.jspecify.annotations.NullMarked;
