/// Appeals of people against refusals, bans and demotions, and the rulings of operators.
///
/// The person's pages are `app.pages.AppealPages`, the operators' API is [AppealAdmin]. A ruling
/// takes effect in [AppealEffects] (bans, allow-list, pauses) and [StoredDecisions] (places); joins
/// read it in `gate.ban` and `app.risk.AfterAppeals`, purchases in `app.FeatureSet`.
@NullMarked
@CheckReturnValue
package fairgate.gate.appeal;

import com.google.errorprone.annotations.CheckReturnValue;
import org.jspecify.annotations.NullMarked;
