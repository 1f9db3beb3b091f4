/// Tests of signed requests.
@NullMarked
@CheckReturnValue
package fairgate.gate.signature;

import com.google.errorprone.annotations.CheckReturnValue;
import org.jspecify.annotations.NullMarked;
