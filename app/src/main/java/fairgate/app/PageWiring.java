package fairgate.app;

import fairgate.app.pages.FormActions;
import fairgate.app.pages.PageSources;
import fairgate.catalog.Buyers;
import fairgate.catalog.Catalog;
import fairgate.catalog.Product;
import fairgate.catalog.ProductContent;
import fairgate.gate.challenge.TestChallenge;
import fairgate.kernel.ErrorCode;
import fairgate.kernel.KeyRing;
import fairgate.kernel.OrderId;
import fairgate.kernel.ProductId;
import fairgate.kernel.SessionId;
import fairgate.platform.http.Refusal;
import fairgate.platform.http.Request;
import fairgate.platform.http.SessionOf;
import fairgate.platform.run.BlockingWork;
import fairgate.queue.JoinGate.Entrance;
import fairgate.queue.JoinOutcome;
import fairgate.queue.LeaveOutcome;
import fairgate.queue.Place;
import fairgate.queue.QueueFeature;
import fairgate.queue.QueueService;
import fairgate.sale.PurchaseOutcome;
import fairgate.sale.SaleFeature;
import fairgate.sale.SaleService;
import fairgate.sale.payment.PaymentFeature;
import fairgate.sale.payment.PaymentOutcome;
import fairgate.sale.payment.PaymentService;
import io.vertx.core.Future;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.time.Duration;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/// Connects the pages' forms to the same services as the API, for visitors without JavaScript.
final class PageWiring implements FormActions {
  private final QueueFeature queue;
  private final SaleFeature sale;
  private final PaymentFeature payment;
  private final Buyers buyers;
  private final KeyRing keyRing;
  private final String challengeToken;

  /// @param joinWithoutScript whether the challenge allows a join without JavaScript
  PageWiring(
      QueueFeature queue,
      SaleFeature sale,
      PaymentFeature payment,
      Buyers buyers,
      KeyRing keyRing,
      boolean joinWithoutScript) {
    this.queue = queue;
    this.sale = sale;
    this.payment = payment;
    this.buyers = buyers;
    this.keyRing = keyRing;
    this.challengeToken = joinWithoutScript ? TestChallenge.TOKEN : "";
  }

  /// The data of the pages: the API's JSON.
  static PageSources sources(
      QueueFeature queue,
      SaleFeature sale,
      PaymentFeature payment,
      PageSources.DepositOfVisitor deposits,
      PageSources.RulesByLanguage rules,
      Entrance entrance,
      Catalog catalog) {
    return new PageSources(
        sale.products()::all,
        sale.products()::find,
        queue::status,
        payment::order,
        deposits,
        rules,
        entrance::before,
        id -> catalog.find(id).map(Product::content).orElse(ProductContent.EMPTY));
  }

  @Override
  public Future<Outcome> join(Request request, ProductId product) {
    return buyers
        .check(request, product, "")
        .compose(
            check ->
                switch (check) {
                  case Buyers.Check.Failed(Refusal refusal) ->
                      Future.succeededFuture(new Outcome.Refused(refusal));
                  case Buyers.Check.Passed passed -> join(request, product, passed);
                });
  }

  private Future<Outcome> join(Request request, ProductId product, Buyers.Check.Passed passed) {
    return queue
        .service()
        .join(
            new QueueService.JoinRequest(
                product,
                challengeToken,
                request.device(),
                SessionOf.optional(request),
                passed.user(),
                passed.tier(),
                request.caller(),
                request))
        .compose(
            outcome ->
                switch (outcome) {
                  case JoinOutcome.Joined(SessionId session, int _, Duration life) ->
                      placed(request, product, session, life);
                  case JoinOutcome.SeatedBehind(JoinOutcome.Joined joined, _, _) ->
                      placed(request, product, joined.session(), joined.life());
                  case JoinOutcome.AlreadyInQueue(SessionId session, Duration life) ->
                      placed(request, product, session, life);
                  case JoinOutcome.Refused refused ->
                      Future.succeededFuture(new Outcome.Refused(refused.refusal()));
                });
  }

  private Future<Outcome> placed(
      Request request, ProductId product, SessionId session, Duration life) {
    return queue
        .joins()
        .tell(request, product, session, life)
        .map(_ -> new Outcome.Joined(session, life));
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
  public String turnProof(SessionId session, long readyAt) {
    return keyRing.fingerprint("turn", session.value() + '|' + readyAt);
  }

  @Override
  public Future<Outcome> buy(Request request, Purchase purchase) {
    return queue
        .service()
        .look(purchase.session(), request::caller)
        .compose(
            found ->
                found.filter(view -> !isOfThisTurn(purchase, view.place())).isPresent()
                    ? Future.succeededFuture(refused(ErrorCode.INVALID_PURCHASE_TOKEN))
                    : buy(request, purchase, found.map(Place.View::token).orElse(null)));
  }

  /// Whether the form was loaded during the present turn of the session, if it has one.
  private boolean isOfThisTurn(Purchase purchase, Place place) {
    String proof = turnProof(place.session(), place.readyAt());
    return place.status() != Place.Status.READY_TO_PURCHASE
        || MessageDigest.isEqual(
            proof.getBytes(StandardCharsets.UTF_8),
            purchase.turnProof().getBytes(StandardCharsets.UTF_8));
  }

  private Future<Outcome> buy(Request request, Purchase purchase, @Nullable String token) {
    return sale.service()
        .purchase(
            new SaleService.PurchaseRequest(
                purchase.session(),
                purchase.product(),
                purchase.quantity(),
                token,
                purchase.expectedAmount(),
                purchase.idempotencyKey(),
                request::caller,
                request))
        .map(PageWiring::bought);
  }

  private static Outcome bought(PurchaseOutcome outcome) {
    return switch (outcome) {
      case PurchaseOutcome.Reserved _ -> new Outcome.Done();
      case PurchaseOutcome.AlreadyPurchased _ -> new Outcome.Done();
      case PurchaseOutcome.Refused refused -> new Outcome.Refused(refused.refusal());
    };
  }

  @Override
  public Future<Outcome> pay(Request request, OrderId order, String result) {
    PaymentService.SandboxResult wish =
        PaymentService.SandboxResult.valueOf(result.toUpperCase(Locale.ROOT));
    return BlockingWork.call(
        "form-pay",
        () -> paid(payment.service().pay(order, payment.askerOf(request, order).await(), wish)));
  }

  private static Outcome paid(PaymentOutcome outcome) {
    return switch (outcome) {
      case PaymentOutcome.Done _ -> new Outcome.Done();
      case PaymentOutcome.Refused refused -> new Outcome.Refused(refused.refusal());
    };
  }

  private static Outcome refused(ErrorCode code) {
    return new Outcome.Refused(Refusal.of(code));
  }
}
