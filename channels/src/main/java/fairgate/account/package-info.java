/// Accounts: registering, signing in and out, sessions, and who somebody is. Hashing passwords is
/// dear on purpose and goes through a bulkhead: a storm of logins slows logins, never the sale.
@NullMarked
@CheckReturnValue
package fairgate.account;

import com.google.errorprone.annotations.CheckReturnValue;
import org.jspecify.annotations.NullMarked;
