package fairgate.sale.payment;

import fairgate.kernel.Hashes;
import fairgate.kernel.OrderId;
import fairgate.kernel.ProductId;
import fairgate.kernel.ServiceUnavailable;
import fairgate.kernel.SessionId;
import fairgate.platform.text.Language;
import fairgate.sale.BuyerDetails;
import fairgate.sale.DetailsInput;
import fairgate.sale.ledger.LedgerWait;
import fairgate.sale.ledger.OrderStatus;
import fairgate.sale.payment.OrderScripts.DeclinedScript;
import fairgate.sale.payment.OrderScripts.ExtendScript;
import fairgate.sale.payment.OrderScripts.ReversedScript;
import fairgate.sale.payment.PaymentNotice.Dispute;
import fairgate.sale.payment.PaymentOutcome.CheckoutOutcome;
import fairgate.sale.payment.PaymentOutcome.PartialRefundOutcome;
import io.vertx.core.Future;
import java.time.Duration;
import java.time.Instant;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// The actions of buyers, gateways and operators on an order after the purchase. All except `find`
/// and `paymentUrl` block and are for virtual threads. A repeat changes nothing.
public final class PaymentService {
  private static final Logger LOG = LoggerFactory.getLogger(PaymentService.class);
  private static final Duration RETRY_AFTER = Duration.ofSeconds(2);
  private static final int PART_BYTES = 16;

  private final OrderBook book;
  private final PaymentProvider provider;
  private final Settlement settlement;
  private final LedgerWait ledger;
  private final BuyerDetails details;
  private final PostgresDisputes disputes;

  PaymentService(
      OrderBook book,
      PaymentProvider provider,
      Settlement settlement,
      LedgerWait ledger,
      BuyerDetails details,
      PostgresDisputes disputes) {
    this.disputes = disputes;
    this.book = book;
    this.provider = provider;
    this.settlement = settlement;
    this.ledger = ledger;
    this.details = details;
  }

  public enum SandboxResult {
    PAID,
    /// The payment is declined; the buyer may try again.
    FAILED,
    /// The buyer pays, and the provider reports it only when asked.
    SILENT
  }

  public sealed interface ReturnOutcome {
    /// The buyer is back, with the order as it is now.
    record Own(Order order) implements ReturnOutcome {}

    /// A browser is back that the order does not belong to, such as the one that a wallet app
    /// opened. It learns only the order's state.
    record Elsewhere(OrderStatus status) implements ReturnOutcome {}

    /// There is no such order, or the provider has no payment pages.
    record Missing() implements ReturnOutcome {}
  }

  sealed interface WebhookOutcome {
    /// The message is recorded, now or before. A repeat gets the same reply.
    record Accepted() implements WebhookOutcome {}

    /// The signature is not valid, or the message is too old.
    record Unauthorized() implements WebhookOutcome {}

    /// The message is genuine and names an unknown order of a product of this installation. It may
    /// be one that Redis lost: the gateway has to repeat.
    record UnknownOrder() implements WebhookOutcome {}
  }

  /// The identity that requests an order: the sessions of a browser, and the users as whom the sale
  /// counts it: its account, and the browser itself, which owns what its guests bought.
  public record Requester(List<SessionId> sessions, List<String> users) {
    public Requester {
      sessions = List.copyOf(sessions);
      users = List.copyOf(users);
    }

    private boolean owns(Order order) {
      return sessions.contains(order.session()) || users.contains(order.user());
    }
  }

  /// Finds the order for the session or account that owns it; empty for all others. Fails with
  /// ServiceUnavailable while Redis may have lost it and its sale is rebuilt from the ledger.
  public Future<Optional<Order>> find(OrderId id, Requester asker) {
    return find(id).map(found -> found.filter(asker::owns));
  }

  /// Finds the order for a caller that has another right to see it. Fails as the other `find`.
  public Future<Optional<Order>> find(OrderId id) {
    return book.find(id)
        .compose(
            found -> found.isPresent() ? Future.succeededFuture(found) : settlement.unknown(id));
  }

  /// Where the buyer goes on to pay the order: the page that asks for details, if the product asks
  /// for any, else the payment page. Null when the order cannot be paid any more or the page at
  /// hand pays by the API.
  public @Nullable String paymentUrl(Order order) {
    boolean asks = order.status() == OrderStatus.PENDING && asks(order.id());
    return asks ? detailsUrl(order.id()) : providerUrl(order);
  }

  /// The payment page of the order; null when it cannot be paid any more or the page at hand pays
  /// by the API.
  public @Nullable String providerUrl(Order order) {
    return order.status() == OrderStatus.PENDING ? provider.start(order).paymentUrl() : null;
  }

  /// The page that asks the buyer for details after an order without a payment; null for others.
  @Nullable String askedAfterwards(Order order) {
    boolean asks =
        order.status() == OrderStatus.PAID
            && !order.id().isDeposit()
            && details.asksAfterwards(order.id().product());
    return asks ? detailsUrl(order.id()) : null;
  }

  /// Buyers give details for the order, not for its deposit.
  private boolean asks(OrderId id) {
    return !id.isDeposit() && details.asks(id.product());
  }

  private boolean lacksDetails(OrderId id) {
    return !id.isDeposit() && details.isMissing(id);
  }

  static String detailsUrl(OrderId order) {
    return "/o/" + order.value() + "/details";
  }

  /// Keeps what the buyer of an order gave: while it is pending as often as the buyer likes, and
  /// once when it is paid. False when nothing was kept, as for a product that asks for nothing.
  public boolean keep(Order order, DetailsInput input) {
    if (!asks(order.id())) {
      return false;
    }
    return switch (order.status()) {
      case PENDING -> details.save(order.id(), order.user(), input.values(), true);
      case PAID -> details.save(order.id(), order.user(), input.values(), false);
      case CANCELLED, EXPIRED, REFUNDED -> false;
    };
  }

  /// Whether buyers pay on pages that the provider makes for each try.
  public boolean isHosted() {
    return provider instanceof HostedPayments;
  }

  /// The way to the provider's payment page of a pending order. A repeat leads to the same page as
  /// long as it can be paid.
  ///
  /// @param product the name to show there
  /// @param baseUrl the address of this server as buyers see it, without a slash at its end
  public CheckoutOutcome checkout(
      OrderId id, Requester asker, String product, String baseUrl, Language language) {
    if (!(provider instanceof HostedPayments hosted)) {
      return new CheckoutOutcome.Refused(new PaymentOutcome.NotOffered());
    }
    Order order = find(id, asker).await().orElse(null);
    if (order == null) {
      return new CheckoutOutcome.Refused(new PaymentOutcome.NotFound());
    }
    if (order.status() != OrderStatus.PENDING) {
      return new CheckoutOutcome.Settled(order);
    }
    if (lacksDetails(id)) {
      return new CheckoutOutcome.Refused(new PaymentOutcome.DetailsMissing(id));
    }
    HostedPayments.Way way =
        hosted.checkout(new HostedGateway.Purchase(order, product, baseUrl, language));
    return switch (way) {
      case HostedPayments.Way.Redirect(String url) -> new CheckoutOutcome.Redirect(url);
      case HostedPayments.Way.Form(String url, Map<String, String> fields) ->
          new CheckoutOutcome.Form(url, fields);
      case HostedPayments.Way.Paid(Payment payment) -> {
        ConfirmOutcome _ = settlement.book(id, payment);
        yield new CheckoutOutcome.Settled(reread(order));
      }
      case HostedPayments.Way.Closed() ->
          new CheckoutOutcome.Refused(new PaymentOutcome.Conflict(reread(order)));
      case HostedPayments.Way.Refused(String reason) -> {
        LOG.error(
            "{} takes no payment for an order, which is cancelled; orderId={} cause={}",
            provider.name(),
            id,
            reason);
        yield refused(order, ReleaseOutcome.Reason.WITHDRAWN);
      }
      case HostedPayments.Way.TooMany() -> {
        LOG.warn("An order has had all its tries to pay and is cancelled; orderId={}", id);
        yield refused(order, ReleaseOutcome.Reason.CANCELLED);
      }
      case HostedPayments.Way.Unknown(String reason) -> {
        LOG.warn(
            "{} did not open a payment page; orderId={} cause={}", provider.name(), id, reason);
        yield new CheckoutOutcome.Refused(new PaymentOutcome.Unanswered(RETRY_AFTER));
      }
    };
  }

  /// Frees the units of an order that can never be paid, unless a try was paid meanwhile.
  private CheckoutOutcome refused(Order order, ReleaseOutcome.Reason reason) {
    return switch (settlement.notPayable(order.id(), reason)) {
      case RELEASED -> new CheckoutOutcome.Refused(new PaymentOutcome.NotPayable());
      case PAID -> new CheckoutOutcome.Settled(reread(order));
      case OPEN -> new CheckoutOutcome.Refused(new PaymentOutcome.Unanswered(RETRY_AFTER));
      case UNKNOWN -> new CheckoutOutcome.Refused(new PaymentOutcome.NotFound());
    };
  }

  /// Asks the provider for the state of the order's payment, after somebody has come back from the
  /// payment page, whoever it is: a wallet app may open another browser than the one that bought.
  /// Nothing that the browser says counts.
  public ReturnOutcome returned(OrderId id, Requester asker) {
    if (!(provider instanceof HostedPayments hosted)) {
      return new ReturnOutcome.Missing();
    }
    Order order = find(id).await().orElse(null);
    if (order == null) {
      return new ReturnOutcome.Missing();
    }
    if (order.status() == OrderStatus.PENDING) {
      switch (hosted.settle(id)) {
        case HostedPayments.Result.Paid(Payment payment) -> {
          ConfirmOutcome _ = settlement.book(id, payment);
        }
        case HostedPayments.Result.Declined() -> {
          DeclinedScript.Outcome _ = book.declined(id).await();
        }
        case HostedPayments.Result.Open() -> {}
      }
    }
    Order now = reread(order);
    return asker.owns(now) ? new ReturnOutcome.Own(now) : new ReturnOutcome.Elsewhere(now.status());
  }

  public PaymentOutcome pay(OrderId id, Requester asker, SandboxResult result) {
    if (!(provider instanceof SandboxPayments sandbox)) {
      return new PaymentOutcome.NotOffered();
    }
    Order order = find(id, asker).await().orElse(null);
    if (order == null) {
      return new PaymentOutcome.NotFound();
    }
    return switch (order.status()) {
      case PENDING ->
          lacksDetails(id)
              ? new PaymentOutcome.DetailsMissing(id)
              : payPending(sandbox, order, result);
      case PAID -> new PaymentOutcome.Done(order);
      case CANCELLED, EXPIRED, REFUNDED -> new PaymentOutcome.Conflict(order);
    };
  }

  private PaymentOutcome payPending(SandboxPayments sandbox, Order order, SandboxResult result) {
    if (result == SandboxResult.FAILED) {
      return switch (book.declined(order.id()).await()) {
        case DECLINED -> new PaymentOutcome.Done(reread(order));
        case OVER -> new PaymentOutcome.Conflict(reread(order));
        case UNKNOWN -> new PaymentOutcome.NotFound();
      };
    }
    if (!sandbox.answers()) {
      return new PaymentOutcome.Unanswered(RETRY_AFTER);
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
      case ConfirmOutcome.RefundDue _, ConfirmOutcome.OtherOrder _ ->
          new PaymentOutcome.Conflict(reread(order));
      case ConfirmOutcome.UnknownOrder _ -> new PaymentOutcome.NotFound();
    };
  }

  /// Cancels the reservation for its buyer. The provider closes first: an order paid meanwhile
  /// stays paid.
  public PaymentOutcome cancel(OrderId id, Requester asker) {
    Order order = find(id, asker).await().orElse(null);
    return order == null
        ? new PaymentOutcome.NotFound()
        : cancel(order, ReleaseOutcome.Reason.CANCELLED);
  }

  /// Cancels an unpaid reservation for an operator; its buyer may join again at once. The provider
  /// closes first: an order paid meanwhile stays paid.
  public PaymentOutcome withdraw(OrderId id) {
    Order order = book.find(id).await().orElse(null);
    if (order == null) {
      settlement.absent(id);
      return new PaymentOutcome.NotFound();
    }
    return cancel(order, ReleaseOutcome.Reason.WITHDRAWN);
  }

  private PaymentOutcome cancel(Order order, ReleaseOutcome.Reason reason) {
    return switch (order.status()) {
      case PENDING ->
          switch (settlement.end(order.id(), reason)) {
            case RELEASED -> ended(reread(order));
            case PAID -> new PaymentOutcome.Conflict(reread(order));
            case OPEN -> new PaymentOutcome.Unanswered(RETRY_AFTER);
            case UNKNOWN -> new PaymentOutcome.NotFound();
          };
      case CANCELLED -> new PaymentOutcome.Done(order);
      case PAID, EXPIRED, REFUNDED -> new PaymentOutcome.Conflict(order);
    };
  }

  /// Gives the buyer of a pending order more time to pay, for operators. A later deadline stays.
  /// `Conflict` when the order is not pending or its deadline has passed.
  ///
  /// @param time from now on
  /// @param reason for the ledger
  public PaymentOutcome extend(OrderId id, Duration time, String reason) {
    Instant payBy = book.now().await().plus(time);
    return switch (book.extend(id, payBy, reason).await()) {
      case EXTENDED, LATER -> current(id, PaymentOutcome.Done::new);
      case DUE, OVER -> current(id, PaymentOutcome.Conflict::new);
      case UNKNOWN -> {
        settlement.absent(id);
        yield new PaymentOutcome.NotFound();
      }
    };
  }

  /// As `extend`, for all pending orders of a sale. Returns how many got a later deadline; empty
  /// for an unknown sale.
  public OptionalInt extendAll(ProductId product, Duration time, String reason) {
    if (!settlement.sells(product)) {
      return OptionalInt.empty();
    }
    Instant payBy = book.now().await().plus(time);
    int extended = 0;
    for (OrderId order : book.pending(product).await()) {
      if (book.extend(order, payBy, reason).await() == ExtendScript.Outcome.EXTENDED) {
        extended++;
      }
    }
    return OptionalInt.of(extended);
  }

  /// Handles a payment of which this server has no try: books it if its order is known, as after
  /// PostgreSQL was put back from an older copy, and otherwise ignores it.
  ///
  /// @param orderId as the provider wrote it
  WebhookOutcome unasked(String orderId, Payment payment) {
    if (OrderId.isValid(orderId) && book.find(new OrderId(orderId)).await().isPresent()) {
      return paid(orderId, payment);
    }
    settlement.foreign(orderId, payment);
    return new WebhookOutcome.Accepted();
  }

  /// Handles a gateway's message that an order was paid. When this returns, the payment is in the
  /// ledger, or it is another shop's and was ignored. Throws ServiceUnavailable when that takes too
  /// long, though the order may be paid by then.
  ///
  /// @param orderId as the gateway wrote it
  WebhookOutcome paid(String orderId, Payment payment) {
    if (settlement.isForeign(orderId)) {
      settlement.foreign(orderId, payment);
      return new WebhookOutcome.Accepted();
    }
    OrderId order = new OrderId(orderId);
    if (settlement.book(order, payment) instanceof ConfirmOutcome.UnknownOrder) {
      return new WebhookOutcome.UnknownOrder();
    }
    // A deposit is in PostgreSQL by now.
    if (!order.isDeposit() && !ledger.known(new LedgerWait.Fact(order, payment.id())).await()) {
      throw new ServiceUnavailable(
          "payment " + payment.id() + " is not in the ledger", RETRY_AFTER);
    }
    return new WebhookOutcome.Accepted();
  }

  /// Handles a gateway's message that a payment was declined. The buyer may try again until the
  /// deadline.
  WebhookOutcome failed(String orderId) {
    if (settlement.isForeign(orderId)) {
      return new WebhookOutcome.Accepted();
    }
    OrderId order = new OrderId(orderId);
    return switch (book.declined(order).await()) {
      case DECLINED, OVER -> new WebhookOutcome.Accepted();
      case UNKNOWN -> {
        settlement.absent(order);
        yield new WebhookOutcome.UnknownOrder();
      }
    };
  }

  /// Handles a message that money of a payment went back at the provider. What this server asked
  /// for itself changes nothing.
  ///
  /// @param payment with all that went back so far
  WebhookOutcome reversed(String orderId, Payment payment) {
    return reversed(orderId, payment, "provider", "");
  }

  /// Handles a message that a payment is disputed, or that the dispute was decided. The money of a
  /// lost one went back.
  WebhookOutcome disputed(PaymentNotice.Disputed notice) {
    if (settlement.isForeign(notice.order())) {
      return new WebhookOutcome.Accepted();
    }
    LOG.error(
        "A payment is disputed; orderId={} dispute={} state={} reason={}",
        notice.order(),
        notice.dispute(),
        notice.state().word(),
        notice.reason());
    disputes.note(new OrderId(notice.order()), notice);
    return notice.state() == Dispute.State.LOST
        ? reversed(notice.order(), notice.payment(), "dispute", notice.dispute())
        : new WebhookOutcome.Accepted();
  }

  private WebhookOutcome reversed(String orderId, Payment payment, String reason, String dispute) {
    if (settlement.isForeign(orderId)) {
      return new WebhookOutcome.Accepted();
    }
    OrderId id = new OrderId(orderId);
    ReversedScript.Outcome outcome = book.reversed(id, payment, reason, dispute).await();
    if (outcome == ReversedScript.Outcome.UNKNOWN) {
      settlement.absent(id);
      return new WebhookOutcome.UnknownOrder();
    }
    LOG.info("Money went back at the provider; orderId={} outcome={}", id, outcome);
    return new WebhookOutcome.Accepted();
  }

  /// Refunds all of a paid order that was not refunded before, for operators. The units become free
  /// after the refund, at once for an order of which no money goes back. `Done` now or before;
  /// `Conflict` when there is no payment to refund.
  ///
  /// @param reason for the ledger
  public PaymentOutcome refund(OrderId id, String reason) {
    return switch (book.refundDue(id, reason).await()) {
      case ASKED, FREE, ALREADY -> current(id, PaymentOutcome.Done::new);
      case UNPAID -> current(id, PaymentOutcome.Conflict::new);
      case UNKNOWN -> {
        settlement.absent(id);
        yield new PaymentOutcome.NotFound();
      }
      case CONFLICT, TOO_MUCH -> throw new IllegalStateException("a full refund has no amount");
    };
  }

  /// Refunds a part of a paid order, for operators. The order stays paid and keeps its units. The
  /// parts of an order are never more than what was paid.
  ///
  /// @param key the operator's idempotency key: a repeat with the same key and amount changes
  ///   nothing
  /// @param amount in minor units, at least 1
  /// @param reason for the ledger
  public PartialRefundOutcome refundPart(OrderId id, String key, long amount, String reason) {
    RefundDueScript.PartReply reply = book.refundPart(id, reason, partName(key), amount).await();
    return switch (reply.outcome()) {
      case ASKED, ALREADY ->
          book.find(id)
              .await()
              .<PartialRefundOutcome>map(
                  order -> new PartialRefundOutcome.Requested(order, reply.refundable()))
              .orElseGet(PaymentService::noSuchOrder);
      case TOO_MUCH -> new PartialRefundOutcome.TooLarge(reply.refundable());
      case CONFLICT -> new PartialRefundOutcome.OtherAmount();
      case UNPAID ->
          book.find(id)
              .await()
              .<PartialRefundOutcome>map(
                  order -> new PartialRefundOutcome.Refused(new PaymentOutcome.Conflict(order)))
              .orElseGet(PaymentService::noSuchOrder);
      case UNKNOWN -> {
        settlement.absent(id);
        yield noSuchOrder();
      }
      case FREE -> throw new IllegalStateException("a part has an amount");
    };
  }

  private static PartialRefundOutcome noSuchOrder() {
    return new PartialRefundOutcome.Refused(new PaymentOutcome.NotFound());
  }

  /// The name of a part at the provider and in the ledger: 128 bits of the key's SHA-256.
  private static String partName(String key) {
    return HexFormat.of().formatHex(Hashes.sha256(key), 0, PART_BYTES);
  }

  private PaymentOutcome current(OrderId id, Function<Order, PaymentOutcome> as) {
    return book.find(id).await().map(as).orElseGet(PaymentOutcome.NotFound::new);
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
