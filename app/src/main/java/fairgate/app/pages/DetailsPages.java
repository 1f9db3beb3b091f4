package fairgate.app.pages;

import static fairgate.platform.http.RouteLimits.PAGE;

import fairgate.catalog.BuyerField;
import fairgate.kernel.ErrorCode;
import fairgate.kernel.OrderId;
import fairgate.platform.http.FormBody;
import fairgate.platform.http.Method;
import fairgate.platform.http.Refusal;
import fairgate.platform.http.Reply;
import fairgate.platform.http.Request;
import fairgate.platform.http.Route;
import fairgate.platform.http.SameOrigin;
import fairgate.platform.json.JsonText;
import fairgate.platform.page.PageFrame;
import fairgate.platform.page.PageSettings;
import fairgate.platform.page.Visit;
import fairgate.platform.page.Wording;
import fairgate.sale.BuyerDetails;
import fairgate.sale.BuyerDetails.OrderDetails;
import fairgate.sale.DetailsInput;
import fairgate.sale.ledger.OrderStatus;
import fairgate.sale.payment.Order;
import fairgate.sale.payment.PaymentFeature;
import java.time.Clock;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/// `/o/{id}/details`, where a buyer gives what the product asks for, on the way from the
/// reservation to the payment. A plain page and form without JavaScript; the values stay after a
/// refusal.
public final class DetailsPages {
  private static final Map<BuyerField.Kind, String> AUTOCOMPLETE =
      Map.of(
          BuyerField.Kind.NAME, "name",
          BuyerField.Kind.EMAIL, "email",
          BuyerField.Kind.PHONE, "tel",
          BuyerField.Kind.ADDRESS, "street-address");

  private final ShopPages shop;
  private final PaymentFeature payment;
  private final BuyerDetails details;
  private final PageSettings settings;
  private final Clock clock;

  public DetailsPages(ShopPages shop, PaymentFeature payment, PageSettings settings, Clock clock) {
    this.shop = shop;
    this.payment = payment;
    this.details = payment.details();
    this.settings = settings;
    this.clock = clock;
  }

  public List<Route> routes() {
    return List.of(
        Route.blockingGet("/o/{id}/details", this::form).limits(PAGE),
        Route.blockingPost("/o/{id}/details", this::save)
            .withDeadline(Route.FORM_DEADLINE)
            .doing(Method.PUT, "/api/orders/{order_id}/details"));
  }

  /// A field of the form.
  ///
  /// @param type `text`, `email`, `tel` or `textarea`
  /// @param autocomplete what browsers fill in; `off` for nothing
  /// @param problem in the visitor's language; empty for none
  record Shown(
      String key,
      String label,
      boolean required,
      String type,
      String autocomplete,
      int maxLength,
      String value,
      String problem) {}

  /// The form.
  ///
  /// @param deadline of the payment; null for none
  /// @param problem of the whole form; empty for none
  /// @param pays whether the payment follows
  record Form(
      String id,
      String number,
      OrderView.@Nullable Deadline deadline,
      String problem,
      boolean pays,
      List<Shown> fields) {}

  private Reply form(Request request) {
    Order order = find(request).orElse(null);
    if (order == null) {
      return shop.refusals().draw(request, 404, Refusal.of(ErrorCode.ORDER_NOT_FOUND), _ -> "");
    }
    Optional<OrderDetails> given = details.find(order.id());
    if (!isAsked(order, given.isPresent())) {
      return Reply.redirect(303, "/o/" + order.id().value());
    }
    Map<String, String> values = given.map(OrderDetails::values).orElse(Map.of());
    return draw(request, 200, order, values::get, List.of(), "");
  }

  private Reply save(Request request) {
    Order order = find(request).orElse(null);
    if (order == null) {
      return shop.refusals().draw(request, 404, Refusal.of(ErrorCode.ORDER_NOT_FOUND), _ -> "");
    }
    Function<String, @Nullable String> entered = key -> FormBody.field(request, key).orElse(null);
    if (SameOrigin.of(request) != SameOrigin.OWN) {
      return draw(request, 403, order, entered, List.of(), "details.forbidden");
    }
    DetailsInput input = DetailsInput.read(details.asked(order.id().product()), entered);
    if (!input.problems().isEmpty()) {
      return draw(request, 400, order, entered, input.problems(), "details.problem");
    }
    String receipt = "/o/" + order.id().value();
    if (!payment.service().keep(order, input) || order.status() != OrderStatus.PENDING) {
      return Reply.redirect(303, receipt);
    }
    String url = payment.service().providerUrl(order);
    return url != null && (url.startsWith("/") || url.startsWith("https://"))
        ? Reply.redirect(303, url)
        : Reply.redirect(303, receipt);
  }

  private boolean isAsked(Order order, boolean given) {
    return details.asks(order.id().product())
        && (order.status() == OrderStatus.PENDING
            || (order.status() == OrderStatus.PAID && !given));
  }

  /// @param problem key of the text for the whole form; empty for none
  private Reply draw(
      Request request,
      int status,
      Order order,
      Function<String, @Nullable String> values,
      List<DetailsInput.Problem> problems,
      String problem) {
    Visit visit = Visit.of(request, settings, clock.instant());
    Wording w = visit.wording();
    List<Shown> fields = new ArrayList<>();
    for (BuyerField field : details.asked(order.id().product())) {
      String value = values.apply(field.key());
      String reason =
          problems.stream()
              .filter(each -> each.field().equals(field))
              .findFirst()
              .map(each -> text(each, w))
              .orElse("");
      fields.add(shown(field, w, value == null ? "" : value, reason));
    }
    Form form =
        new Form(
            order.id().value(),
            order.id().number().toString(),
            OrderView.Deadline.of(order, w),
            problem.isEmpty() ? "" : w.text(problem),
            order.status() == OrderStatus.PENDING,
            List.copyOf(fields));
    return shop.frame()
        .reply(
            visit,
            status,
            PageFrame.Content.of(
                w.text("details.title"),
                "plain",
                form.deadline() == null ? "" : "deadline.js",
                out -> JtedetailsGenerated.render(out, null, w, form),
                JsonText.object()))
        // The form leads on to the payment page, and browsers apply the rule to redirects.
        .header(
            "content-security-policy",
            settings.policy().replace("form-action 'self'", "form-action 'self' https:"))
        .header("cache-control", "no-store");
  }

  private static Shown shown(BuyerField field, Wording w, String value, String problem) {
    BuyerField.Kind kind = field.kind();
    String type =
        switch (kind) {
          case NAME, TEXT -> "text";
          case EMAIL -> "email";
          case PHONE -> "tel";
          case ADDRESS -> "textarea";
        };
    String fill = AUTOCOMPLETE.getOrDefault(kind, "off");
    String label =
        kind == BuyerField.Kind.TEXT
            ? field.label(w.words().language())
            : w.text("details.field." + kind.word());
    return new Shown(
        field.key(), label, field.required(), type, fill, kind.maxLength(), value, problem);
  }

  private static String text(DetailsInput.Problem problem, Wording w) {
    return w.words()
        .text(
            "details.problem." + problem.reason().word(),
            "n",
            w.number(problem.field().kind().maxLength()));
  }

  private Optional<Order> find(Request request) {
    String named = request.pathParam("id");
    if (!OrderId.isValid(named)) {
      return Optional.empty();
    }
    OrderId id = new OrderId(named);
    return payment.service().find(id, payment.askerOf(request, id).await()).await();
  }
}
