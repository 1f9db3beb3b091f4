/// Orders come in from sellers' files, codes go out to them.
@NullMarked
@CheckReturnValue
package fairgate.redeem.transfer;

import com.google.errorprone.annotations.CheckReturnValue;
import org.jspecify.annotations.NullMarked;
