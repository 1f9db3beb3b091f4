/// What granted appeals and operators change about the risk of joins. The risk of purchases is in
/// `app.RiskWiring`.
@NullMarked
@CheckReturnValue
package fairgate.app.risk;

import com.google.errorprone.annotations.CheckReturnValue;
import org.jspecify.annotations.NullMarked;
