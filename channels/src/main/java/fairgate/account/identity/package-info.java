/// The identity of an account's owner: a telephone, verified by a one-time code, and a person,
/// verified by an identity number, of which only a keyed hash per sale is stored.
@NullMarked
@CheckReturnValue
package fairgate.account.identity;

import com.google.errorprone.annotations.CheckReturnValue;
import org.jspecify.annotations.NullMarked;
