package fairgate.sale;

import static fairgate.platform.http.RouteLimits.ACT;

import fairgate.kernel.ErrorCode;
import fairgate.kernel.ProductId;
import fairgate.kernel.SessionId;
import fairgate.platform.http.InvalidRequest;
import fairgate.platform.http.JsonBody;
import fairgate.platform.http.Refusal;
import fairgate.platform.http.Reply;
import fairgate.platform.http.Request;
import fairgate.platform.http.Route;
import fairgate.platform.http.SessionOf;
import fairgate.platform.json.JsonText;
import fairgate.platform.text.Messages;
import io.vertx.core.Future;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/// Serves `POST /api/purchase`.
///
/// @param paymentUrl where a pending order is paid; null when there is no page for it
record PurchaseRoutes(
    SaleService service, Function<PurchaseOutcome.Reserved, @Nullable String> paymentUrl) {
  private static final int LONGEST_KEY = 255;
  private static final int LONGEST_TOKEN = 1_024;
  private static final int MOST_UNITS = 1_000_000;

  /// Larger JSON numbers lose digits in many languages.
  private static final long MOST_MINOR_UNITS = 1L << 53;

  /// Created once, because a flood of requests gets these replies.
  private static final Map<ErrorCode, Reply> REFUSALS = new ConcurrentHashMap<>();

  List<Route> routes() {
    return List.of(Route.post("/api/purchase", this::purchase).limits(ACT.and("purchase")));
  }

  private Future<Reply> purchase(Request request) {
    JsonBody body = request.json();
    String product = body.text("product_id");
    if (!ProductId.isValid(product)) {
      throw new InvalidRequest("product_id", "not_digits", 1, 19);
    }
    // The script knows the limit of the sale and refuses any other number with it.
    int quantity = body.clampedInteger("quantity", 0, MOST_UNITS);
    String token = body.optionalText("purchase_token");
    if (token != null && token.length() > LONGEST_TOKEN) {
      token = "";
    }
    Long expected =
        body.has("expected_amount")
            ? body.longInteger("expected_amount", 0, MOST_MINOR_UNITS)
            : null;
    SessionId session = SessionOf.required(request);
    ProductId productId = new ProductId(product);
    return service
        .purchase(
            new SaleService.PurchaseRequest(
                session,
                productId,
                quantity,
                token,
                expected,
                idempotencyKey(request),
                request::caller,
                request))
        .map(outcome -> reply(request, productId, outcome));
  }

  private static @Nullable String idempotencyKey(Request request) {
    String key = request.header("idempotency-key");
    if (key == null) {
      return null;
    }
    boolean printable = key.chars().allMatch(c -> c > ' ' && c < 127);
    if (key.isEmpty() || key.length() > LONGEST_KEY || !printable) {
      throw new InvalidRequest("Idempotency-Key", "bad_format");
    }
    return key;
  }

  private Reply reply(Request request, ProductId product, PurchaseOutcome outcome) {
    return switch (outcome) {
      case PurchaseOutcome.Reserved reserved -> accepted(request, product, reserved);
      case PurchaseOutcome.Refused refused -> refuse(refused.refusal());
    };
  }

  private Reply accepted(Request request, ProductId product, PurchaseOutcome.Reserved reserved) {
    JsonText json =
        JsonText.object()
            .put("success", true)
            .put("order_id", reserved.order().value())
            .put("order_number", reserved.order().number().toString())
            .put("product_id", product.value())
            .put("quantity", reserved.quantity())
            .put("remaining_stock", reserved.remaining())
            .put("status", reserved.status())
            .put("amount", reserved.amount().minorUnits())
            .put("currency", reserved.amount().currency())
            .put("currency_exponent", reserved.amount().exponent());
    if (reserved.payBy() > 0) {
      json.put("pay_by", reserved.payBy());
      String url = paymentUrl.apply(reserved);
      if (url != null) {
        json.put("payment_url", url);
      }
    }
    String key = reserved.payBy() > 0 ? "success.reserved" : "success.purchase";
    return Reply.json(200, json.put("message", Messages.text(request.language(), key)));
  }

  /// Replies without details are rendered once.
  private static Reply refuse(Refusal refusal) {
    return refusal.equals(Refusal.of(refusal.code()))
        ? REFUSALS.computeIfAbsent(refusal.code(), _ -> Reply.refuse(refusal))
        : Reply.refuse(refusal);
  }
}
