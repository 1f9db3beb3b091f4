/// Properties of networks by address, from `mmdb` files of the operator.
@NullMarked
@CheckReturnValue
package fairgate.gate.network;

import com.google.errorprone.annotations.CheckReturnValue;
import org.jspecify.annotations.NullMarked;
