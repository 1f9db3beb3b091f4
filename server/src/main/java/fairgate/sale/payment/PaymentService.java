package fairgate.sale.payment;

import fairgate.kernel.OrderId;
import fairgate.kernel.ServiceUnavailable;
import fairgate.kernel.SessionId;
import fairgate.sale.payment.fact.LedgerWait;
import fairgate.sale.payment.fact.PaymentFacts;
import io.vertx.core.Future;
import java.time.Duration;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/// What buyers, gateways and operators do to an order after the purchase. All but `find` and
/// `paymentUrl` block and are for virtual threads; all may be repeated and then change nothing.
public final class PaymentService {
  private static final Duration RETRY_AFTER = Duration.ofSeconds(2);

  private final OrderBook book;
  private final PaymentProvider provider;
  private final Settlement settlement;
  private final LedgerWait ledger;

  PaymentService(
      OrderBook book, PaymentProvider provider, Settlement settlement, LedgerWait ledger) {
    this.book = book;
    this.provider = provider;
    this.settlement = settlement;
    this.ledger = ledger;
  }

  /// How a payment in the sandbox ends.
  public enum SandboxResult {
    /// The buyer pays.
    PAID,
    /// The payment fails; the buyer may try again.
    FAILED,
    /// The buyer pays, and nobody tells until the provider is asked.
    SILENT
  }

  /// What a gateway's message came to.
  sealed interface WebhookOutcome {
    /// The fact is kept, now or before. A repeat gets the same answer.
    record Accepted() implements WebhookOutcome {}

    /// No secret of ours signed it, or it is too old.
    record Unauthorized() implements WebhookOutcome {}

    /// It is genuine and names an order nobody knows.
    record UnknownOrder() implements WebhookOutcome {}
  }

  /// Who asks for an order: the session it was bought with, or the account it was bought for.
  public record Asker(@Nullable SessionId session, @Nullable String account) {
    private boolean owns(Order order) {
      return order.session().equals(session) || order.user().equals(account);
    }
  }

  /// The order, for the session or the account that owns it; empty for everybody else.
  public Future<Optional<Order>> find(OrderId id, Asker asker) {
    return book.find(id).map(found -> found.filter(asker::owns));
  }

  /// Where the order is paid; null when it cannot be paid any more or the page does it by the API.
  public @Nullable String paymentUrl(Order order) {
    return order.status() == OrderStatus.PENDING ? provider.start(order).paymentUrl() : null;
  }

  /// Pays in the sandbox.
  public PaymentOutcome pay(OrderId id, Asker asker, SandboxResult result) {
    if (!(provider instanceof SandboxPayments sandbox)) {
      return new PaymentOutcome.NotOffered();
    }
    Order order = find(id, asker).await().orElse(null);
    if (order == null) {
      return new PaymentOutcome.NotFound();
    }
    return switch (order.status()) {
      case PENDING -> payPending(sandbox, order, result);
      case PAID -> new PaymentOutcome.Done(order);
      case CANCELLED, EXPIRED, REFUNDED -> new PaymentOutcome.Conflict(order);
    };
  }

  private PaymentOutcome payPending(SandboxPayments sandbox, Order order, SandboxResult result) {
    if (result == SandboxResult.FAILED) {
      return new PaymentOutcome.Done(order);
    }
    Payment payment = sandbox.pay(order.id(), order.amount()).orElse(null);
    if (payment == null) {
      return new PaymentOutcome.Conflict(reread(order));
    }
    if (result == SandboxResult.SILENT) {
      return new PaymentOutcome.Done(order);
    }
    return switch (settlement.book(order.id(), payment)) {
      case ConfirmOutcome.Confirmed _, ConfirmOutcome.AlreadyPaid _ ->
          new PaymentOutcome.Done(reread(order));
      case ConfirmOutcome.RefundDue _ -> new PaymentOutcome.Conflict(reread(order));
      case ConfirmOutcome.UnknownOrder _ -> new PaymentOutcome.NotFound();
    };
  }

  /// Gives the reservation up. The provider closes first: an order paid meanwhile stays paid.
  public PaymentOutcome cancel(OrderId id, Asker asker) {
    Order order = find(id, asker).await().orElse(null);
    if (order == null) {
      return new PaymentOutcome.NotFound();
    }
    return switch (order.status()) {
      case PENDING ->
          switch (settlement.end(id, ReleaseOutcome.Reason.CANCELLED)) {
            case RELEASED -> ended(reread(order));
            case PAID -> new PaymentOutcome.Conflict(reread(order));
            case OPEN -> new PaymentOutcome.Unanswered(RETRY_AFTER);
            case UNKNOWN -> new PaymentOutcome.NotFound();
          };
      case CANCELLED -> new PaymentOutcome.Done(order);
      case PAID, EXPIRED, REFUNDED -> new PaymentOutcome.Conflict(order);
    };
  }

  /// A gateway says that an order was paid. When this returns, the fact is in the ledger; throws
  /// ServiceUnavailable when it does not get there in time, though the order may be paid by then.
  ///
  /// @param orderId as the gateway wrote it
  WebhookOutcome paid(String orderId, Payment payment) {
    if (!OrderId.isValid(orderId)) {
      settlement.unplaced(payment, "no order id");
      return new WebhookOutcome.UnknownOrder();
    }
    OrderId order = new OrderId(orderId);
    if (settlement.book(order, payment) instanceof ConfirmOutcome.UnknownOrder) {
      return new WebhookOutcome.UnknownOrder();
    }
    if (!ledger.known(new PaymentFacts.Fact(order, payment.id())).await()) {
      throw new ServiceUnavailable(
          "payment " + payment.id() + " is not in the ledger", RETRY_AFTER);
    }
    return new WebhookOutcome.Accepted();
  }

  /// A gateway says that a payment failed: the buyer may try again until the deadline.
  WebhookOutcome failed(String orderId) {
    if (!OrderId.isValid(orderId)) {
      return new WebhookOutcome.UnknownOrder();
    }
    OrderId order = new OrderId(orderId);
    if (book.find(order).await().isPresent()) {
      return new WebhookOutcome.Accepted();
    }
    settlement.absent(order);
    return new WebhookOutcome.UnknownOrder();
  }

  /// Has a paid order's money given back, for operators. The units are free again once the money
  /// has gone. Empty when there is no such order, false when there is no payment to give back.
  ///
  /// @param reason for the ledger and the audit trail
  public Optional<Boolean> refund(OrderId id, String reason) {
    return switch (book.refundDue(id, reason).await()) {
      case ASKED, ALREADY -> Optional.of(true);
      case UNPAID -> Optional.of(false);
      case UNKNOWN -> Optional.empty();
    };
  }

  private static PaymentOutcome ended(Order order) {
    return order.status() == OrderStatus.CANCELLED
        ? new PaymentOutcome.Done(order)
        : new PaymentOutcome.Conflict(order);
  }

  private Order reread(Order order) {
    return book.find(order.id()).await().orElse(order);
  }
}
