/// The risk of a request: features, rules of a bundle, an explained score, and the decision log.
@NullMarked
@CheckReturnValue
package fairgate.gate.risk;

import com.google.errorprone.annotations.CheckReturnValue;
import org.jspecify.annotations.NullMarked;
