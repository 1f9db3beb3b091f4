/// Tests of sign-in with OpenID Connect.
@NullMarked
@CheckReturnValue
package fairgate.account.oidc;

import com.google.errorprone.annotations.CheckReturnValue;
import org.jspecify.annotations.NullMarked;
