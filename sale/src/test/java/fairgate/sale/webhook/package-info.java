/// Tests of order events for an address outside.
@NullMarked
@CheckReturnValue
package fairgate.sale.webhook;

import com.google.errorprone.annotations.CheckReturnValue;
import org.jspecify.annotations.NullMarked;
