package fairgate.app.pages;

import static fairgate.platform.http.RouteLimits.PAGE;

import fairgate.catalog.Catalog;
import fairgate.kernel.ErrorCode;
import fairgate.kernel.OrderId;
import fairgate.platform.http.Refusal;
import fairgate.platform.http.Reply;
import fairgate.platform.http.Request;
import fairgate.platform.http.Route;
import fairgate.platform.json.JsonText;
import fairgate.platform.page.PageFrame;
import fairgate.platform.page.PageSettings;
import fairgate.platform.page.Visit;
import fairgate.sale.ledger.OrderStatus;
import fairgate.sale.payment.PaymentFeature;
import fairgate.sale.payment.PaymentOutcome;
import fairgate.sale.payment.PaymentOutcome.CheckoutOutcome;
import fairgate.sale.payment.PaymentService;
import java.net.URI;
import java.time.Clock;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/// `/pay/{order}`, the way to the payment page of a provider that makes one for each try, and
/// `/pay/{order}/return`, the way back. Both work without JavaScript.
public final class CheckoutPages {
  /// Two calls to the provider, and PostgreSQL.
  private static final Duration LONGEST = Duration.ofSeconds(25);

  private final ShopPages shop;
  private final PaymentFeature payment;
  private final Catalog catalog;
  private final PageSettings settings;
  private final String baseUrl;
  private final Clock clock;

  /// @param baseUrl the address of this server as buyers see it; empty takes the one that it
  ///   listens on
  public CheckoutPages(
      ShopPages shop,
      PaymentFeature payment,
      Catalog catalog,
      PageSettings settings,
      String baseUrl,
      Clock clock) {
    this.shop = shop;
    this.payment = payment;
    this.catalog = catalog;
    this.settings = settings;
    this.baseUrl = baseUrl.replaceFirst("/+$", "");
    this.clock = clock;
  }

  public List<Route> routes() {
    Route back =
        Route.blockingGet("/pay/{id}/return", this::back).limits(PAGE).withDeadline(LONGEST);
    return payment.service().isHosted()
        ? List.of(
            Route.blockingGet("/pay/{id}", this::pay).limits(PAGE).withDeadline(LONGEST), back)
        : List.of(back);
  }

  private Reply pay(Request request) {
    OrderId id = order(request).orElse(null);
    if (id == null) {
      return missing(request);
    }
    Visit visit = Visit.of(request, settings, clock.instant());
    String base = baseUrl.isEmpty() ? request.serverUrl() : baseUrl;
    CheckoutOutcome outcome =
        payment.service().checkout(id, asker(request, id), name(visit, id), base, visit.language());
    return switch (outcome) {
      case CheckoutOutcome.Redirect(String url) -> Reply.redirect(303, url);
      case CheckoutOutcome.Form(String url, Map<String, String> fields) -> form(visit, url, fields);
      case CheckoutOutcome.Settled _ -> receipt(id);
      case CheckoutOutcome.Refused(PaymentOutcome.NotFound _) -> missing(request);
      case CheckoutOutcome.Refused(PaymentOutcome.NotPayable _) ->
          shop.notices().told(visit, 409, "checkout.not_possible", "checkout.not_possible.more");
      case CheckoutOutcome.Refused(PaymentOutcome.DetailsMissing _) ->
          Reply.redirect(303, "/o/" + id.value() + "/details");
      case CheckoutOutcome.Refused(PaymentOutcome.Refused refused) -> {
        Refusal refusal = refused.refusal();
        yield shop.refusals().draw(request, Reply.refuse(refusal).status(), refusal, _ -> "");
      }
    };
  }

  /// The provider's address is the only foreign one that this page may post to.
  private Reply form(Visit visit, String url, Map<String, String> fields) {
    URI target = URI.create(url);
    String origin = target.getScheme() + "://" + target.getAuthority();
    return shop.frame()
        .reply(
            visit,
            200,
            PageFrame.Content.of(
                visit.wording().text("checkout.title"),
                "plain",
                "checkout.js",
                out -> JtecheckoutGenerated.render(out, null, visit.wording(), url, fields),
                JsonText.object()))
        .header(
            "content-security-policy",
            settings.policy().replace("form-action 'self'", "form-action 'self' " + origin))
        .header("cache-control", "no-store");
  }

  private Reply back(Request request) {
    OrderId id = order(request).orElse(null);
    if (id == null) {
      return missing(request);
    }
    return switch (payment.service().returned(id, asker(request, id))) {
      case PaymentService.ReturnOutcome.Own _ -> receipt(id);
      case PaymentService.ReturnOutcome.Elsewhere(OrderStatus status) -> elsewhere(request, status);
      case PaymentService.ReturnOutcome.Missing() -> missing(request);
    };
  }

  /// Says whether the order is paid, and sends the buyer back to the browser that knows it.
  private Reply elsewhere(Request request, OrderStatus status) {
    Visit visit = Visit.of(request, settings, clock.instant());
    String title = status == OrderStatus.PAID ? "checkout.paid" : "checkout.not_paid";
    return shop.notices().told(visit, 200, title, "checkout.elsewhere");
  }

  private static Reply receipt(OrderId id) {
    return Reply.redirect(303, id.isDeposit() ? DepositPages.after(id) : "/o/" + id.value());
  }

  private PaymentService.Requester asker(Request request, OrderId id) {
    return payment.askerOf(request, id).await();
  }

  private String name(Visit visit, OrderId id) {
    return catalog
        .find(id.product())
        .map(product -> product.content().name(visit.language(), product.details().name()))
        .orElse(id.number().toString());
  }

  private static Optional<OrderId> order(Request request) {
    return Optional.of(request.pathParam("id")).filter(OrderId::isValid).map(OrderId::new);
  }

  private Reply missing(Request request) {
    return shop.refusals().draw(request, 404, Refusal.of(ErrorCode.ORDER_NOT_FOUND), _ -> "");
  }
}
