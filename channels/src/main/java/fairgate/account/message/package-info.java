/// Short-lived messages with a one-time code, to telephones and e-mail addresses: an outbox in
/// PostgreSQL, and the services that send them.
@NullMarked
@CheckReturnValue
package fairgate.account.message;

import com.google.errorprone.annotations.CheckReturnValue;
import org.jspecify.annotations.NullMarked;
