/// Messages to telephones and e-mail addresses, most with a one-time code: an outbox in PostgreSQL,
/// and the services that send them.
@NullMarked
@CheckReturnValue
package fairgate.account.message;

import com.google.errorprone.annotations.CheckReturnValue;
import org.jspecify.annotations.NullMarked;
