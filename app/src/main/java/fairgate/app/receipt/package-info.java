/// The ways by which receipts reach buyers.
@NullMarked
@CheckReturnValue
package fairgate.app.receipt;

import com.google.errorprone.annotations.CheckReturnValue;
import org.jspecify.annotations.NullMarked;
