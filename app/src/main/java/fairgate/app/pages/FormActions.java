package fairgate.app.pages;

import fairgate.kernel.OrderId;
import fairgate.kernel.ProductId;
import fairgate.kernel.SessionId;
import fairgate.platform.http.Refusal;
import fairgate.platform.http.Request;
import io.vertx.core.Future;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/// The actions of a visitor without JavaScript. Each corresponds to the API call of the same name.
/// The pages have already checked that the form is their own.
public interface FormActions {
  /// Joins without a challenge in the browser. Refused where one is needed, except for low risk and
  /// after a granted appeal.
  Future<Outcome> join(Request request, ProductId product);

  Future<Outcome> leave(Request request, SessionId session);

  /// The value that the purchase form of a turn has to contain. Only the page of a ready session
  /// has it, so one request alone cannot buy.
  ///
  /// @param readyAt the time at which the turn came, ms
  String turnProof(SessionId session, long readyAt);

  /// Buys for a ready session, with a purchase token if one is needed.
  Future<Outcome> buy(Request request, Purchase purchase);

  /// Simulates the result of the sandbox payment provider.
  ///
  /// @param result `paid`, `failed` or `silent`
  Future<Outcome> pay(Request request, OrderId order, String result);

  /// A purchase request.
  ///
  /// @param quantity requested by the visitor; not yet checked against the policy
  /// @param expectedAmount the price of all units on the page, in minor units; null when the form
  ///   has none
  /// @param idempotencyKey the same for a form that is sent twice
  /// @param turnProof the form's `turnProof`; empty when it has none
  record Purchase(
      ProductId product,
      SessionId session,
      int quantity,
      @Nullable Long expectedAmount,
      String idempotencyKey,
      String turnProof) {}

  sealed interface Outcome {
    /// Done; the visitor returns to the sale's page.
    record Done() implements Outcome {}

    /// Joined, or already in the queue; the session's cookie is set.
    ///
    /// @param life lifetime of the session and its cookie
    record Joined(SessionId session, Duration life) implements Outcome {}

    /// Refused; the visitor sees the text of the error code.
    record Refused(Refusal refusal) implements Outcome {}
  }
}
