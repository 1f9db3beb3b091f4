/// Who an account belongs to: a telephone by a one-time code, a person by an identity number, of
/// which only a keyed hash is kept, another one in each sale.
@NullMarked
@CheckReturnValue
package fairgate.account.identity;

import com.google.errorprone.annotations.CheckReturnValue;
import org.jspecify.annotations.NullMarked;
