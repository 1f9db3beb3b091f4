/// `prove`: real sales over HTTP against nodes and engines that are killed, robbed and cut off
/// meanwhile, and the comparison of every reply with Redis and the ledger.
@NullMarked
@CheckReturnValue
package fairgate.prove;

import com.google.errorprone.annotations.CheckReturnValue;
import org.jspecify.annotations.NullMarked;
