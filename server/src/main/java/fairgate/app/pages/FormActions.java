package fairgate.app.pages;

import fairgate.kernel.OrderId;
import fairgate.kernel.ProductId;
import fairgate.kernel.SessionId;
import fairgate.platform.http.Refusal;
import fairgate.platform.http.Request;
import io.vertx.core.Future;

/// What a visitor without JavaScript may do. Each is the API's call of the same name; the pages
/// have checked before that the form is their own.
public interface FormActions {
  /// Joins without a challenge solved in the browser; only called when the settings allow it.
  Future<Outcome> join(Request request, ProductId product);

  /// Gives the place up.
  Future<Outcome> leave(Request request, SessionId session);

  /// Buys for a session that is ready, fetching its purchase token where one is needed.
  Future<Outcome> buy(Request request, Purchase purchase);

  /// Answers for the sandbox payment provider.
  ///
  /// @param result `paid`, `failed` or `silent`
  Future<Outcome> pay(Request request, OrderId order, String result);

  /// One purchase asked for.
  ///
  /// @param quantity as the visitor asked; not yet checked against the policy
  /// @param idempotencyKey the same for the same form sent twice
  record Purchase(ProductId product, SessionId session, int quantity, String idempotencyKey) {}

  /// What became of it.
  sealed interface Outcome {
    /// Done; the visitor goes back to the sale's page.
    record Done() implements Outcome {}

    /// Joined, or found to be in line already; the session's cookie is set.
    record Placed(SessionId session) implements Outcome {}

    /// Refused; the visitor sees the text of the code.
    record Refused(Refusal refusal) implements Outcome {}
  }
}
