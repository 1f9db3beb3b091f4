/// What becomes of orders, told to one address outside: durable, signed, repeated until taken.
@NullMarked
@CheckReturnValue
package fairgate.sale.webhook;

import com.google.errorprone.annotations.CheckReturnValue;
import org.jspecify.annotations.NullMarked;
