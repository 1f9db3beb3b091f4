/// What buyers give when a product asks for it: name, e-mail address, telephone, address and texts.
@NullMarked
@CheckReturnValue
package fairgate.sale.details;

import com.google.errorprone.annotations.CheckReturnValue;
import org.jspecify.annotations.NullMarked;
