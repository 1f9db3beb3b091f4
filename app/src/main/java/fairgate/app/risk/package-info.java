/// What granted appeals change about the verdict on a join, and the limits of slider tries. The
/// verdicts on joins and purchases come from `app.RiskWiring`; `app.FeatureSet` exempts purchases.
@NullMarked
@CheckReturnValue
package fairgate.app.risk;

import com.google.errorprone.annotations.CheckReturnValue;
import org.jspecify.annotations.NullMarked;
