/// Appeals of people against refusals, bans and demotions, and the rulings of operators.
///
/// The person's pages are `app.pages.AppealPages`, the operators' API is [AppealAdmin]. A ruling
/// takes effect in [AppealEffects]; joins read it in `app.risk.AfterAppeals`.
@NullMarked
@CheckReturnValue
package fairgate.gate.appeal;

import com.google.errorprone.annotations.CheckReturnValue;
import org.jspecify.annotations.NullMarked;
