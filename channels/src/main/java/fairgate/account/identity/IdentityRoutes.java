package fairgate.account.identity;

import fairgate.account.Bulkhead;
import fairgate.account.SignIn;
import fairgate.kernel.ErrorCode;
import fairgate.kernel.ProductId;
import fairgate.kernel.SignedIn;
import fairgate.platform.http.InvalidRequest;
import fairgate.platform.http.JsonBody;
import fairgate.platform.http.Refusal;
import fairgate.platform.http.Reply;
import fairgate.platform.http.Request;
import fairgate.platform.http.Route;
import fairgate.platform.json.JsonText;
import fairgate.platform.text.Messages;
import io.vertx.core.Future;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Locale;
import java.util.function.Predicate;
import java.util.regex.Pattern;

/// `/api/v1/identity`: the verified identity of the signed-in account.
final class IdentityRoutes {
  private static final Pattern CODE = Pattern.compile("\\d{6}");
  private static final Pattern ID_NUMBER = Pattern.compile("[0-9A-Z]{4,32}");
  private static final int MAX_NAME_LENGTH = 100;
  private static final Duration COME_BACK = Duration.ofSeconds(5);

  private final IdentityService service;
  private final SignIn signIn;
  private final Bulkhead bulkhead;
  private final Predicate<ProductId> products;

  /// @param products whether there is a product of this id
  IdentityRoutes(
      IdentityService service, SignIn signIn, Bulkhead bulkhead, Predicate<ProductId> products) {
    this.service = service;
    this.signIn = signIn;
    this.bulkhead = bulkhead;
    this.products = products;
  }

  List<Route> routes() {
    return List.of(
        Route.get("/api/v1/identity", this::list),
        Route.post("/api/v1/identity/phone", this::send),
        Route.post("/api/v1/identity/phone/confirm", this::confirm),
        Route.post("/api/v1/identity/number", this::number));
  }

  private Future<Reply> list(Request request) {
    return signIn.required(request, who -> service.of(who.account()).map(IdentityRoutes::listed));
  }

  private Future<Reply> send(Request request) {
    PhoneNumber phone = phone(request.json());
    return signIn.required(
        request,
        who ->
            bulkhead
                .run(() -> service.sendCode(asker(who, request), phone))
                .map(outcome -> sent(request, outcome)));
  }

  private Future<Reply> confirm(Request request) {
    JsonBody body = request.json();
    PhoneNumber phone = phone(body);
    String code = body.text("code");
    if (!CODE.matcher(code).matches()) {
      throw new InvalidRequest("code", "not_digits", 6, 6);
    }
    return signIn.required(
        request,
        who ->
            bulkhead
                .run(() -> service.confirm(who.account(), phone, code))
                .map(outcome -> verified(request, outcome)));
  }

  private Future<Reply> number(Request request) {
    JsonBody body = request.json();
    String product = body.text("product_id");
    if (!ProductId.isValid(product)) {
      throw new InvalidRequest("product_id", "product_id");
    }
    String name = body.text("name", 1, MAX_NAME_LENGTH);
    String number =
        body.text("id_number", 1, MAX_NAME_LENGTH).replaceAll("[ -]", "").toUpperCase(Locale.ROOT);
    if (!ID_NUMBER.matcher(number).matches()) {
      throw new InvalidRequest("id_number", "id_number");
    }
    ProductId event = new ProductId(product);
    return signIn.required(
        request,
        who ->
            products.test(event)
                ? bulkhead
                    .run(() -> service.verifyNumber(who.account(), event, name, number))
                    .map(outcome -> verified(request, outcome))
                : Future.succeededFuture(refuse(ErrorCode.PRODUCT_NOT_FOUND)));
  }

  private static IdentityService.Requester asker(SignedIn who, Request request) {
    return new IdentityService.Requester(who.account(), request.address(), request.language());
  }

  private static PhoneNumber phone(JsonBody body) {
    return PhoneNumber.of(body.text("phone"))
        .orElseThrow(() -> new InvalidRequest("phone", "phone"));
  }

  private static Reply sent(Request request, SendCodeOutcome outcome) {
    return switch (outcome) {
      case SendCodeOutcome.Sent(Instant expiresAt) ->
          Reply.json(
              202,
              JsonText.object()
                  .put("success", true)
                  .put("expires_at", expiresAt.toString())
                  .put("message", Messages.text(request.language(), "success.code_sent"))
                  .bytes());
      case SendCodeOutcome.TooMany(Duration retryAfter) -> tooMany(retryAfter);
      case SendCodeOutcome.Unsent() -> unavailable();
    };
  }

  private static Reply verified(Request request, VerifyOutcome outcome) {
    return switch (outcome) {
      case VerifyOutcome.Verified(Identity identity) ->
          Reply.json(
              200,
              json(identity)
                  .put("success", true)
                  .put("message", Messages.text(request.language(), "success.verified"))
                  .bytes());
      case VerifyOutcome.WrongCode() -> refuse(ErrorCode.INVALID_CODE);
      case VerifyOutcome.Taken() -> refuse(ErrorCode.IDENTITY_TAKEN);
      case VerifyOutcome.NameMismatch() -> throw new InvalidRequest("name", "name_differs");
      case VerifyOutcome.Unknown() -> unavailable();
      case VerifyOutcome.TooMany(Duration retryAfter) -> tooMany(retryAfter);
    };
  }

  private static Reply listed(List<Identity> all) {
    JsonText list = JsonText.array();
    all.forEach(identity -> list.add(json(identity)));
    return Reply.json(200, JsonText.object().put("success", true).put("identities", list).bytes());
  }

  private static JsonText json(Identity identity) {
    return JsonText.object()
        .put("kind", identity.kind())
        .put("product_id", identity.event().isEmpty() ? null : identity.event())
        .put("hint", identity.hint())
        .put("verified_at", identity.verifiedAt().toString());
  }

  private static Reply tooMany(Duration retryAfter) {
    return Reply.refuse(Refusal.of(ErrorCode.RATE_LIMIT_EXCEEDED).retryAfter(retryAfter));
  }

  private static Reply unavailable() {
    return Reply.refuse(Refusal.of(ErrorCode.SERVICE_UNAVAILABLE).retryAfter(COME_BACK));
  }

  private static Reply refuse(ErrorCode code) {
    return Reply.refuse(Refusal.of(code));
  }
}
