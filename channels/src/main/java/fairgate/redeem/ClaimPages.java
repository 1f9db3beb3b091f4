package fairgate.redeem;

import static fairgate.platform.http.RouteLimits.PAGE;

import fairgate.kernel.ServiceUnavailable;
import fairgate.platform.http.Method;
import fairgate.platform.http.Reply;
import fairgate.platform.http.Request;
import fairgate.platform.http.Route;
import fairgate.platform.http.SameOrigin;
import fairgate.platform.page.Assets;
import fairgate.platform.page.PageFrame;
import fairgate.platform.page.PageSettings;
import fairgate.platform.page.Visit;
import fairgate.redeem.orders.OrderNumberFormats;
import fairgate.redeem.orders.OrderText;
import java.time.Clock;
import java.util.List;
import java.util.Optional;

/// `/claim`: redeems an order of another platform for a code. The form works without JavaScript;
/// with it, `claim.js` finds the number while the visitor types and sends the same form.
final class ClaimPages {
  /// Fits the longest text in its longest encoding.
  private static final int BODY = 9 * OrderText.MAX_LENGTH + 4 * 1024;

  private final ClaimService claims;
  private final RedeemProducts products;
  private final OrderNumberFormats shapes;
  private final PageSettings settings;
  private final Clock clock;
  private final ClaimPage page;

  ClaimPages(
      ClaimService claims,
      RedeemProducts products,
      RedeemConfig config,
      PageSettings settings,
      Clock clock) {
    this.claims = claims;
    this.products = products;
    this.shapes = config.shapes();
    this.settings = settings;
    this.clock = clock;
    this.page = new ClaimPage(new PageFrame(settings, new Assets().base()), config);
  }

  List<Route> routes() {
    return List.of(
        Route.blockingGet("/claim", this::form).limits(PAGE),
        Route.blockingPost("/claim", this::claim)
            .withDeadline(Route.FORM_DEADLINE)
            .withBodyLimit(BODY)
            .doing(Method.POST, "/api/redeem/claim"));
  }

  private Reply form(Request request) {
    ClaimForm form = ClaimForm.ofLink(request);
    // Sets the cookie before the claim, so that a repeated claim is recognised.
    String _ = ClaimForm.deviceId(request);
    return page.form(visit(request), 200, form, choices(form), Optional.empty());
  }

  private Reply claim(Request request) {
    ClaimForm form = ClaimForm.ofBody(request);
    if (SameOrigin.of(request) != SameOrigin.OWN) {
      return refused(request, 403, form, ClaimProblem.of("forbidden"));
    }
    Optional<String> order = OrderText.find(shapes, form.text());
    if (order.isEmpty()) {
      return refused(request, 400, form, ClaimProblem.of("no_number"));
    }
    String product = form.productOf(order.get());
    if (product.isEmpty()) {
      return refused(request, 400, form, ClaimProblem.of("no_product"));
    }
    ClaimOutcome outcome = outcome(request, form, order.get(), product);
    if (outcome instanceof ClaimOutcome.Claimed claimed) {
      String name = products.find(product).map(RedeemProduct::name).orElse(product);
      return page.done(visit(request), claimed, order.get(), name);
    }
    ClaimProblem problem = ClaimProblem.of(outcome, request);
    Reply reply = refused(request, problem.status(), form, problem);
    return problem
        .retryAfter()
        .map(rest -> reply.header("retry-after", Long.toString(Math.max(1, rest.toSeconds()))))
        .orElse(reply);
  }

  private ClaimOutcome outcome(Request request, ClaimForm form, String order, String product) {
    try {
      return claims.claim(
          new ClaimRequest(
              order,
              product,
              form.platformIfAny().filter(shapes::knows).orElse(null),
              form.signatureIfAny().orElse(null),
              new ClaimRequest.Claimant(
                  ClaimForm.deviceId(request),
                  request.device().id().value(),
                  !request.device().fresh(),
                  request.caller()),
              request));
    } catch (ServiceUnavailable away) {
      return new ClaimOutcome.Unavailable(away.retryAfter());
    }
  }

  private Reply refused(Request request, int status, ClaimForm form, ClaimProblem problem) {
    return page.form(visit(request), status, form, choices(form), Optional.of(problem));
  }

  /// The offered products: the one in a link, otherwise all.
  private List<RedeemProduct> choices(ClaimForm form) {
    try {
      Optional<RedeemProduct> named =
          form.product().isEmpty() ? Optional.empty() : products.find(form.product());
      return named.map(List::of).orElseGet(products::all);
    } catch (ServiceUnavailable _) {
      // The page is still useful: the database may be back when the form is sent.
      return List.of();
    }
  }

  private Visit visit(Request request) {
    return Visit.of(request, settings, clock.instant());
  }
}
