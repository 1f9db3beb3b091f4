/// Order events sent to one external address: durable, signed, repeated until accepted.
@NullMarked
@CheckReturnValue
package fairgate.sale.webhook;

import com.google.errorprone.annotations.CheckReturnValue;
import org.jspecify.annotations.NullMarked;
