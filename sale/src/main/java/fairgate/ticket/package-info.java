/// Signed tickets of paid orders: QR codes that a device verifies without the server, transfers,
/// and the check-in, once for each ticket.
@NullMarked
@CheckReturnValue
package fairgate.ticket;

import com.google.errorprone.annotations.CheckReturnValue;
import org.jspecify.annotations.NullMarked;
