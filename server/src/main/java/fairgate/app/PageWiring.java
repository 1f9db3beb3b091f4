package fairgate.app;

import fairgate.app.pages.FormActions;
import fairgate.app.pages.PageSources;
import fairgate.kernel.ErrorCode;
import fairgate.kernel.OrderId;
import fairgate.kernel.ProductId;
import fairgate.kernel.SessionId;
import fairgate.platform.http.Refusal;
import fairgate.platform.http.Request;
import fairgate.platform.http.SessionOf;
import fairgate.platform.run.BlockingWork;
import fairgate.queue.Accounts;
import fairgate.queue.JoinOutcome;
import fairgate.queue.LeaveOutcome;
import fairgate.queue.PlaceView;
import fairgate.queue.QueueFeature;
import fairgate.queue.QueueService;
import fairgate.sale.PurchaseOutcome;
import fairgate.sale.SaleFeature;
import fairgate.sale.SaleService;
import fairgate.sale.payment.PaymentFeature;
import fairgate.sale.payment.PaymentOutcome;
import fairgate.sale.payment.PaymentService;
import io.vertx.core.Future;
import java.time.Duration;
import java.util.Locale;

/// Connects the pages' forms to the same services as the API, for visitors without JavaScript.
final class PageWiring implements FormActions {
  private static final String TEST_TOKEN = "XXXX.DUMMY.TOKEN.XXXX";

  private final QueueFeature queue;
  private final SaleFeature sale;
  private final PaymentFeature payment;
  private final Accounts accounts;

  PageWiring(QueueFeature queue, SaleFeature sale, PaymentFeature payment, Accounts accounts) {
    this.queue = queue;
    this.sale = sale;
    this.payment = payment;
    this.accounts = accounts;
  }

  /// The data of the pages: the API's JSON.
  static PageSources sources(QueueFeature queue, SaleFeature sale, PaymentFeature payment) {
    return new PageSources(
        sale.products()::all, sale.products()::find, queue::status, payment::order);
  }

  @Override
  public Future<Outcome> join(Request request, ProductId product) {
    return accounts
        .of(request)
        .compose(
            account ->
                queue
                    .service()
                    .join(
                        new QueueService.JoinRequest(
                            product,
                            TEST_TOKEN,
                            request.device().id(),
                            SessionOf.optional(request),
                            account.orElse(null),
                            request.caller())))
        .compose(
            outcome ->
                switch (outcome) {
                  case JoinOutcome.Joined(SessionId session, int _, Duration life) ->
                      placed(request, product, session, life);
                  case JoinOutcome.AlreadyInQueue(SessionId session, Duration life) ->
                      placed(request, product, session, life);
                  case JoinOutcome.LimitReached() -> no(ErrorCode.PURCHASE_LIMIT_REACHED);
                  case JoinOutcome.CoolingDown(var rest) ->
                      Future.succeededFuture(
                          new Outcome.Refused(
                              Refusal.of(ErrorCode.UNPAID_COOLDOWN).retryAfter(rest)));
                  case JoinOutcome.ChallengeRefused() -> no(ErrorCode.INVALID_TURNSTILE_TOKEN);
                  case JoinOutcome.ChallengeUnavailable() -> no(ErrorCode.SERVICE_UNAVAILABLE);
                  case JoinOutcome.SaleClosed() -> no(ErrorCode.SALE_CLOSED);
                  case JoinOutcome.NoSuchProduct() -> no(ErrorCode.PRODUCT_NOT_FOUND);
                });
  }

  private Future<Outcome> placed(
      Request request, ProductId product, SessionId session, Duration life) {
    return queue
        .joins()
        .tell(request, product, session, life)
        .map(_ -> new Outcome.Placed(session, life));
  }

  private static Future<Outcome> no(ErrorCode code) {
    return Future.succeededFuture(refused(code));
  }

  @Override
  public Future<Outcome> leave(Request request, SessionId session) {
    return queue
        .service()
        .leave(session)
        .map(
            outcome ->
                switch (outcome) {
                  case LeaveOutcome.Left(ProductId product) -> {
                    queue.loop().soon(product);
                    yield new Outcome.Done();
                  }
                  case LeaveOutcome.NotInQueue() -> refused(ErrorCode.NOT_IN_QUEUE);
                  case LeaveOutcome.UnknownSession() -> refused(ErrorCode.SESSION_NOT_FOUND);
                });
  }

  @Override
  public Future<Outcome> buy(Request request, Purchase purchase) {
    return queue
        .service()
        .look(purchase.session(), request::caller)
        .compose(
            place ->
                sale.service()
                    .purchase(
                        new SaleService.PurchaseRequest(
                            purchase.session(),
                            purchase.product(),
                            purchase.quantity(),
                            place.map(PlaceView::token).orElse(null),
                            purchase.expectedAmount(),
                            purchase.idempotencyKey(),
                            request::caller)))
        .map(PageWiring::bought);
  }

  private static Outcome bought(PurchaseOutcome outcome) {
    return switch (outcome) {
      case PurchaseOutcome.Reserved _ -> new Outcome.Done();
      case PurchaseOutcome.AlreadyPurchased _ -> new Outcome.Done();
      case PurchaseOutcome.IdempotencyConflict() -> refused(ErrorCode.IDEMPOTENCY_CONFLICT);
      case PurchaseOutcome.NoSuchProduct() -> refused(ErrorCode.PRODUCT_NOT_FOUND);
      case PurchaseOutcome.UnknownSession() -> refused(ErrorCode.SESSION_NOT_FOUND);
      case PurchaseOutcome.SaleClosed() -> refused(ErrorCode.SALE_CLOSED);
      case PurchaseOutcome.SaleNotOpen() -> refused(ErrorCode.SALE_NOT_OPEN);
      case PurchaseOutcome.NotInQueue() -> refused(ErrorCode.NOT_IN_QUEUE);
      case PurchaseOutcome.NotInActive() -> refused(ErrorCode.NOT_IN_ACTIVE);
      case PurchaseOutcome.NotReady() -> refused(ErrorCode.NOT_READY);
      case PurchaseOutcome.TimedOut() -> refused(ErrorCode.TIMEOUT);
      case PurchaseOutcome.TokenRefused() -> refused(ErrorCode.INVALID_PURCHASE_TOKEN);
      case PurchaseOutcome.TooMany _ -> refused(ErrorCode.PURCHASE_LIMIT_REACHED);
      case PurchaseOutcome.PriceChanged _ -> refused(ErrorCode.PRICE_CHANGED);
      case PurchaseOutcome.LimitReached() -> refused(ErrorCode.PURCHASE_LIMIT_REACHED);
      case PurchaseOutcome.SoldOut() -> refused(ErrorCode.INSUFFICIENT_STOCK);
    };
  }

  @Override
  public Future<Outcome> pay(Request request, OrderId order, String result) {
    PaymentService.SandboxResult wish =
        PaymentService.SandboxResult.valueOf(result.toUpperCase(Locale.ROOT));
    return BlockingWork.call(
        "form-pay",
        () -> paid(payment.service().pay(order, payment.askerOf(request).await(), wish)));
  }

  private static Outcome paid(PaymentOutcome outcome) {
    return switch (outcome) {
      case PaymentOutcome.Done _ -> new Outcome.Done();
      case PaymentOutcome.NotFound() -> refused(ErrorCode.ORDER_NOT_FOUND);
      case PaymentOutcome.Conflict _ -> refused(ErrorCode.ORDER_STATE_CONFLICT);
      case PaymentOutcome.Unanswered(var wait) ->
          new Outcome.Refused(Refusal.of(ErrorCode.SERVICE_UNAVAILABLE).retryAfter(wait));
      case PaymentOutcome.NotOffered() -> refused(ErrorCode.NOT_FOUND);
    };
  }

  private static Outcome refused(ErrorCode code) {
    return new Outcome.Refused(Refusal.of(code));
  }
}
