/// How often may this be asked? Rates and windows over all dimensions of a request, decided in one
/// Redis script, with exact answers from memory where they are already known.
@NullMarked
@CheckReturnValue
package fairgate.gate.limit;

import com.google.errorprone.annotations.CheckReturnValue;
import org.jspecify.annotations.NullMarked;
