/// What a challenge costs an honest telephone, an attacker and the server, by algorithm.
@NullMarked
@CheckReturnValue
package fairgate.bench.challenge;

import com.google.errorprone.annotations.CheckReturnValue;
import org.jspecify.annotations.NullMarked;
