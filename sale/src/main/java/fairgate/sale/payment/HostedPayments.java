package fairgate.sale.payment;

import fairgate.kernel.Money;
import fairgate.kernel.OrderId;
import fairgate.sale.AmountProblem;
import fairgate.sale.payment.HostedGateway.Attempt;
import fairgate.sale.payment.HostedGateway.Page;
import fairgate.sale.payment.HostedGateway.State;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Payment pages of a provider: one try at a time, no try after the order was closed, and each try
/// written down before the provider hears of it. Blocks, except `start`.
record HostedPayments(HostedGateway gateway, PostgresCheckouts checkouts)
    implements PaymentProvider {
  private static final Logger LOG = LoggerFactory.getLogger(HostedPayments.class);

  /// Tries of one order. A buyer who opens and leaves the page makes one each time at some
  /// providers.
  private static final int MAX_ATTEMPTS = 20;

  /// Two browsers may begin a try at the same time; one of them reads again.
  private static final int ROUNDS = 3;

  private static final int LONGEST_REASON = 200;

  sealed interface Way {
    record Redirect(String url) implements Way {}

    record Form(String url, Map<String, String> fields) implements Way {}

    record Paid(Payment payment) implements Way {}

    /// The order was closed and cannot be paid any more.
    record Closed() implements Way {}

    /// The provider will never open a page for this order.
    record Refused(String reason) implements Way {}

    /// The order has had all its tries.
    record TooMany() implements Way {}

    /// Unknown; to be repeated.
    record Unknown(String reason) implements Way {}
  }

  /// What became of the tries.
  sealed interface Result {
    record Paid(Payment payment) implements Result {}

    record Declined() implements Result {}

    /// Not paid; may be paid later.
    record Open() implements Result {}
  }

  @Override
  public String name() {
    return gateway.name();
  }

  @Override
  public PaymentStart start(Order order) {
    return new PaymentStart("/pay/" + order.id().value());
  }

  @Override
  public boolean probe() {
    try {
      LOG.debug("{} answers: {}", name(), gateway.probe());
    } catch (ProviderHttp.NoAnswer e) {
      LOG.debug("{} does not answer: {}", name(), e.reason());
    }
    return true;
  }

  @Override
  public Optional<AmountProblem> problem(Money amount) {
    return gateway.problem(amount);
  }

  /// Opens the payment page of a pending order, or the one that is open.
  Way checkout(HostedGateway.Purchase purchase) {
    Order order = purchase.order();
    AmountProblem problem = gateway.problem(order.amount()).orElse(null);
    if (problem != null) {
      return new Way.Refused(problem.toString());
    }
    for (int i = 0; i < ROUNDS; i++) {
      List<Attempt> attempts = checkouts.attempts(order.id());
      Way known = attempts.isEmpty() ? null : known(attempts.getLast());
      if (known != null) {
        return known;
      }
      if (attempts.size() >= MAX_ATTEMPTS) {
        return new Way.TooMany();
      }
      int number = attempts.size() + 1;
      Attempt begun =
          checkouts
              .begin(
                  order.id(),
                  number,
                  gateway.prepare(purchase, number),
                  order.amount(),
                  gateway.reference(order.id(), number))
              .orElse(null);
      if (begun != null) {
        return open(begun);
      }
      if (checkouts.isClosed(order.id())) {
        return new Way.Closed();
      }
    }
    return new Way.Unknown("other tries of the order begin at the same time");
  }

  /// The way through the last try; null when a new one has to begin.
  private @Nullable Way known(Attempt last) {
    if (last.ended()) {
      return null;
    }
    State state = captured(last, gateway.look(last));
    note(last, state);
    return switch (state) {
      case State.Absent() -> open(last);
      // A page that is reached by a form opens once.
      case State.Open() -> last.url() == null ? null : new Way.Redirect(last.url());
      case State.Authorised() -> new Way.Closed();
      case State.Paid paid -> new Way.Paid(paid.payment());
      case State.Ended _ -> null;
      case State.Unknown(String reason) -> new Way.Unknown(reason);
    };
  }

  private Way open(Attempt attempt) {
    return switch (gateway.open(attempt)) {
      case Page.Redirect(String reference, String url) -> {
        checkouts.opened(attempt, reference, url);
        yield new Way.Redirect(url);
      }
      case Page.Form(String url, Map<String, String> fields) -> new Way.Form(url, fields);
      case Page.Refused(String reason) -> {
        checkouts.ended(attempt, cut("refused: " + reason));
        yield new Way.Refused(reason);
      }
      case Page.Unknown(String reason) -> new Way.Unknown(reason);
    };
  }

  /// Asks the provider about the tries of an order, after the buyer has come back.
  Result settle(OrderId order) {
    boolean declined = false;
    for (Attempt attempt : checkouts.attempts(order)) {
      if (attempt.ended()) {
        continue;
      }
      State state = captured(attempt, gateway.look(attempt));
      note(attempt, state);
      if (state instanceof State.Paid paid) {
        return new Result.Paid(paid.payment());
      }
      declined = state instanceof State.Ended ended && ended.declined();
    }
    return declined ? new Result.Declined() : new Result.Open();
  }

  /// Takes the money of an authorised try unless the order was closed before. The state was read
  /// first: a try that was authorised before the order was closed is captured by `close`.
  private State captured(Attempt attempt, State state) {
    return state instanceof State.Authorised && !checkouts.isClosed(attempt.order())
        ? gateway.capture(attempt)
        : state;
  }

  @Override
  public CloseOutcome close(OrderId order) {
    for (Attempt attempt : checkouts.close(order)) {
      if (attempt.ended()) {
        continue;
      }
      State state = gateway.end(attempt);
      if (state instanceof State.Authorised) {
        state = gateway.capture(attempt);
      }
      note(attempt, state);
      switch (state) {
        case State.Paid paid -> {
          return new CloseOutcome.Paid(paid.payment());
        }
        case State.Unknown(String reason) -> {
          return new CloseOutcome.Unknown(reason);
        }
        case State.Authorised() -> {
          return new CloseOutcome.Unknown("the payment is being captured");
        }
        case State.Absent _, State.Open _, State.Ended _ -> {}
      }
    }
    return new CloseOutcome.Closed();
  }

  private void note(Attempt attempt, State state) {
    switch (state) {
      case State.Paid paid -> {
        if (attempt.reference() != null) {
          checkouts.paid(attempt.reference(), paid.payment(), paid.detail());
        }
      }
      case State.Ended(boolean declined, String reason) ->
          checkouts.ended(attempt, cut((declined ? "declined: " : "ended: ") + reason));
      case State.Unknown(String reason) ->
          LOG.warn("{} cannot say whether {} is paid: {}", name(), attempt.order(), reason);
      case State.Absent _, State.Open _, State.Authorised _ -> {}
    }
  }

  private static String cut(String reason) {
    return reason.substring(0, Math.min(reason.length(), LONGEST_REASON));
  }

  @Override
  public boolean canRefund() {
    return true;
  }

  @Override
  public RefundOutcome refund(String order, Payment payment, String key) {
    AmountProblem problem = gateway.problem(payment.amount()).orElse(null);
    return problem == null
        ? gateway.refund(checkouts.byPayment(payment.id()).orElse(null), payment, key)
        : new RefundOutcome.Refused(problem.toString());
  }

  @Override
  public PaymentNotice read(PaymentNotice.Message message) {
    return gateway.read(message);
  }

  @Override
  public String acknowledgement() {
    return gateway.acknowledgement();
  }
}
