/// Accounts: registration, login, logout, sessions, verified identity. Hashing a password is
/// expensive on purpose and runs in a bulkhead: a storm of logins slows logins, never the sale.
@NullMarked
@CheckReturnValue
package fairgate.account;

import com.google.errorprone.annotations.CheckReturnValue;
import org.jspecify.annotations.NullMarked;
