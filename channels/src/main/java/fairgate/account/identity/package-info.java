/// The identity of an account's owner: a telephone and an e-mail address, verified by one-time
/// codes, and a person, verified by an identity number, of which only a keyed hash per sale is
/// stored. Who reads messages to a verified contact may set a new password.
@NullMarked
@CheckReturnValue
package fairgate.account.identity;

import com.google.errorprone.annotations.CheckReturnValue;
import org.jspecify.annotations.NullMarked;
