package fairgate.account;

import fairgate.kernel.JoinStep;
import fairgate.kernel.ProductId;
import fairgate.platform.http.Reply;
import fairgate.platform.http.Request;
import fairgate.platform.run.LocalBudgets.Budget;
import java.time.Duration;

/// Gives browsers the passes of steps that a sale asks for before they join.
public interface JoinPass {
  /// A telephone, an e-mail address or the passkeys of an account let so many browsers into a sale.
  Budget BROWSERS = new Budget("join_step", 3, Duration.ofDays(1));

  /// Whether the sale has asked this browser for a step.
  ///
  /// @param ticket as the browser got it
  boolean isAsked(Request request, ProductId sale, String ticket);

  Reply passed(Reply reply, Request request, ProductId sale, JoinStep step);
}
