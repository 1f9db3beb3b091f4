package fairgate.app.pages;

import static fairgate.platform.http.RouteLimits.PAGE;

import fairgate.kernel.ServiceUnavailable;
import fairgate.platform.http.Method;
import fairgate.platform.http.Reply;
import fairgate.platform.http.Request;
import fairgate.platform.http.Route;
import fairgate.platform.http.SameOrigin;
import fairgate.platform.page.PageSettings;
import fairgate.platform.page.Visit;
import fairgate.redeem.ClaimOutcome;
import fairgate.redeem.ClaimRequest;
import fairgate.redeem.code.CodeMask;
import fairgate.redeem.orders.OrderNumberFormats;
import fairgate.redeem.orders.OrderText;
import java.time.Clock;
import java.util.List;
import java.util.Optional;

/// `/claim`: redeems an order of another platform for a code. The form works without JavaScript;
/// with it, `web/assets/claim.js` finds the number while the visitor types and sends the same form.
public final class ClaimPages {
  /// Fits the longest text in its longest encoding.
  private static final int BODY = 9 * OrderText.MAX_LENGTH + 4 * 1024;

  private final Services services;
  private final PageSettings settings;
  private final Clock clock;
  private final ClaimPage page;

  /// @param shop provides the assets of the page
  public ClaimPages(Services services, ShopPages shop, PageSettings settings, Clock clock) {
    this.services = services;
    this.settings = settings;
    this.clock = clock;
    this.page = new ClaimPage(shop.frame(), services);
  }

  public List<Route> routes() {
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
    Optional<String> order = OrderText.find(services.shapes(), form.text());
    if (order.isEmpty()) {
      return refused(request, 400, form, ClaimProblem.of("no_number"));
    }
    String product = form.productOf(order.get());
    if (product.isEmpty()) {
      return refused(request, 400, form, ClaimProblem.of("no_product"));
    }
    ClaimOutcome outcome = outcome(request, form, order.get(), product);
    if (outcome instanceof ClaimOutcome.Claimed claimed) {
      String name = services.products().find(product).map(Services.Choice::name).orElse(product);
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
      return services
          .claims()
          .claim(
              new ClaimRequest(
                  order,
                  product,
                  form.platformIfAny().filter(services.shapes()::knows).orElse(null),
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
  private List<Services.Choice> choices(ClaimForm form) {
    try {
      Optional<Services.Choice> named =
          form.product().isEmpty() ? Optional.empty() : services.products().find(form.product());
      return named.map(List::of).orElseGet(services.products()::all);
    } catch (ServiceUnavailable _) {
      // The page is still useful: the database may be back when the form is sent.
      return List.of();
    }
  }

  private Visit visit(Request request) {
    return Visit.of(request, settings, clock.instant());
  }

  /// Dependencies of the claim page.
  ///
  /// @param shapes formats of order numbers
  /// @param mask format of codes, for the hint on a mistyped one
  public record Services(
      Claims claims, Products products, OrderNumberFormats shapes, CodeMask mask) {

    /// Redeems an order. May block.
    @FunctionalInterface
    public interface Claims {
      ClaimOutcome claim(ClaimRequest request);
    }

    /// A product for the choice.
    public record Choice(String id, String name) {}

    /// The redeemable products. May block.
    public interface Products {
      /// The products that are offered for choice.
      List<Choice> all();

      /// The product with this id, also when it is not offered for choice.
      Optional<Choice> find(String id);
    }
  }
}
