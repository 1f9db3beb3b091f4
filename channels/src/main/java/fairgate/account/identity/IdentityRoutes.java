package fairgate.account.identity;

import static fairgate.platform.http.RouteLimits.ACT;
import static fairgate.platform.http.RouteLimits.READ;

import fairgate.account.Bulkhead;
import fairgate.account.SignIn;
import fairgate.account.identity.IdentityService.VerifyOutcome;
import fairgate.account.identity.VerifiedIdentities.IdNumber;
import fairgate.account.message.Channel;
import fairgate.kernel.ErrorCode;
import fairgate.kernel.ProductId;
import fairgate.platform.http.InvalidRequest;
import fairgate.platform.http.JsonBody;
import fairgate.platform.http.Reply;
import fairgate.platform.http.Request;
import fairgate.platform.http.Route;
import fairgate.platform.json.JsonText;
import fairgate.platform.text.Messages;
import io.vertx.core.Future;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.function.Predicate;

/// `/api/v1/identity`: the verified identity of the signed-in account.
///
/// @param products whether there is a product of this id
record IdentityRoutes(
    IdentityService service, SignIn signIn, Bulkhead bulkhead, Predicate<ProductId> products) {
  private static final int MAX_NAME_LENGTH = 100;
  private static final Duration COME_BACK = Duration.ofSeconds(5);

  /// @param channels the channels with a sending service
  /// @param register whether identity numbers can be verified
  List<Route> routes(Set<Channel> channels, boolean register) {
    List<Route> routes = new ArrayList<>();
    routes.add(Route.get("/api/v1/identity", this::list).limits(READ));
    routes.add(Route.delete("/api/v1/identity/{kind}", this::remove).limits(ACT));
    routes.add(
        Route.delete("/api/v1/identity/number/{product_id}", this::removeNumber).limits(ACT));
    if (channels.contains(Channel.SMS)) {
      routes.add(
          Route.post("/api/v1/identity/phone", it -> send(it, phone(it.json()))).limits(ACT));
      routes.add(
          Route.post("/api/v1/identity/phone/confirm", it -> confirm(it, phone(it.json())))
              .limits(ACT));
    }
    if (channels.contains(Channel.EMAIL)) {
      routes.add(
          Route.post("/api/v1/identity/email", it -> send(it, email(it.json()))).limits(ACT));
      routes.add(
          Route.post("/api/v1/identity/email/confirm", it -> confirm(it, email(it.json())))
              .limits(ACT));
    }
    if (register) {
      routes.add(Route.post("/api/v1/identity/number", this::number).limits(ACT));
    }
    return List.copyOf(routes);
  }

  private Future<Reply> list(Request request) {
    return signIn.required(request, who -> service.of(who.account()).map(IdentityRoutes::listed));
  }

  private Future<Reply> remove(Request request) {
    String kind = request.pathParam("kind");
    return kind.equals(Identity.PHONE) || kind.equals(Identity.EMAIL)
        ? remove(request, kind, "")
        : Future.succeededFuture(Reply.refuse(ErrorCode.NOT_FOUND));
  }

  private Future<Reply> removeNumber(Request request) {
    return remove(request, Identity.NUMBER, request.pathParam("product_id"));
  }

  private Future<Reply> remove(Request request, String kind, String event) {
    return signIn.required(
        request,
        who ->
            bulkhead
                .run(() -> service.remove(who.account(), kind, event))
                .map(
                    removed ->
                        Reply.json(
                            200, JsonText.object().put("success", true).put("removed", removed))));
  }

  private Future<Reply> send(Request request, Contact contact) {
    return signIn.required(
        request,
        who ->
            bulkhead
                .run(() -> service.sendCode(who.account(), contact, origin(request)))
                .map(outcome -> CodeReplies.sent(request, outcome, sentText(contact))));
  }

  private static String sentText(Contact contact) {
    return switch (contact.channel()) {
      case SMS -> "success.code_sent";
      case EMAIL -> "success.code_mailed";
    };
  }

  private Future<Reply> confirm(Request request, Contact contact) {
    String code = CodeReplies.code(request.json());
    return signIn.required(
        request,
        who ->
            bulkhead
                .run(
                    () -> service.confirm(who.account(), contact, code, origin(request).language()))
                .map(outcome -> verified(request, outcome)));
  }

  private Future<Reply> number(Request request) {
    JsonBody body = request.json();
    String product = body.text("product_id");
    if (!ProductId.isValid(product)) {
      throw new InvalidRequest("product_id", "product_id");
    }
    String name = body.name("name", 1, MAX_NAME_LENGTH);
    String number =
        IdNumber.of(body.text("id_number", 1, MAX_NAME_LENGTH))
            .orElseThrow(() -> new InvalidRequest("id_number", "id_number"))
            .value();
    ProductId event = new ProductId(product);
    return signIn.required(
        request,
        who ->
            products.test(event)
                ? bulkhead
                    .run(() -> service.verifyNumber(who.account(), event, name, number))
                    .map(outcome -> verified(request, outcome))
                : Future.succeededFuture(Reply.refuse(ErrorCode.PRODUCT_NOT_FOUND)));
  }

  private static CodeSender.Origin origin(Request request) {
    return new CodeSender.Origin(request.address(), request.language());
  }

  private static Contact phone(JsonBody body) {
    return PhoneNumber.of(body.text("phone"))
        .orElseThrow(() -> new InvalidRequest("phone", "phone"))
        .contact();
  }

  private static Contact email(JsonBody body) {
    return EmailAddress.of(body.text("email"))
        .orElseThrow(() -> new InvalidRequest("email", "email"))
        .contact();
  }

  private static Reply verified(Request request, VerifyOutcome outcome) {
    return switch (outcome) {
      case VerifyOutcome.Verified(Identity identity) ->
          Reply.json(
              200,
              json(identity)
                  .put("success", true)
                  .put("message", Messages.text(request.language(), "success.verified")));
      case VerifyOutcome.WrongCode() -> Reply.refuse(ErrorCode.INVALID_CODE);
      case VerifyOutcome.Taken() -> Reply.refuse(ErrorCode.IDENTITY_TAKEN);
      case VerifyOutcome.NameMismatch() -> throw new InvalidRequest("name", "name_differs");
      case VerifyOutcome.Unknown() -> CodeReplies.unavailable(COME_BACK);
      case VerifyOutcome.TooMany(Duration retryAfter) -> CodeReplies.tooMany(retryAfter);
    };
  }

  private static Reply listed(List<Identity> all) {
    JsonText list = JsonText.array();
    all.forEach(identity -> list.add(json(identity)));
    return Reply.json(200, JsonText.object().put("success", true).put("identities", list));
  }

  private static JsonText json(Identity identity) {
    return JsonText.object()
        .put("kind", identity.kind())
        .put("product_id", identity.event().isEmpty() ? null : identity.event())
        .put("hint", identity.hint())
        .put("verified_at", identity.verifiedAt().toString());
  }
}
