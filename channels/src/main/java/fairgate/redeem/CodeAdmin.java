package fairgate.redeem;

import fairgate.kernel.ErrorCode;
import fairgate.platform.admin.AdminGuard;
import fairgate.platform.admin.AdminInput;
import fairgate.platform.admin.AdminQuery;
import fairgate.platform.http.InvalidRequest;
import fairgate.platform.http.Refusal;
import fairgate.platform.http.Reply;
import fairgate.platform.http.Request;
import fairgate.platform.json.JsonText;
import fairgate.redeem.RedeemFeature.Codes;
import fairgate.redeem.code.Code;
import fairgate.redeem.code.CodeService;
import fairgate.redeem.code.CodeService.CodeOutcome;
import fairgate.redeem.code.CodeStrength;
import fairgate.redeem.code.MerchantKeys;
import fairgate.redeem.code.SellerCodes.SellerCode;
import fairgate.redeem.code.SellerStock;
import java.time.Instant;
import java.util.Locale;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/// Redemption codes for operators: masked, except for the replacement of a revoked code.
record CodeAdmin(Codes codes) {
  private static final int LONGEST_REASON = 200;
  private static final int LONGEST_NAME = 100;

  Reply list(Request request) {
    int limit = AdminQuery.limit(request);
    String last4 = request.query("last4");
    CodeService.CodePage page =
        codes
            .service()
            .list(
                new CodeService.CodeSearch(
                    last4 == null ? null : last4.toUpperCase(Locale.ROOT),
                    request.query("order_id"),
                    state(request),
                    request.query("product_id"),
                    AdminQuery.after(request),
                    limit));
    JsonText all = JsonText.array();
    page.codes().forEach(code -> all.add(json(code)));
    JsonText body = JsonText.object().put("codes", all);
    Long after = page.after();
    if (after != null) {
      body.put("after", after);
    }
    return Reply.json(200, body.bytes());
  }

  /// Searches by the whole code. It is in the body, because addresses are logged.
  Reply search(Request request) {
    JsonText found = JsonText.array();
    codes
        .service()
        .find(request.json().text("redemption_code", 1, SellerCode.MAX_LENGTH))
        .ifPresent(code -> found.add(json(code)));
    return Reply.json(200, JsonText.object().put("codes", found).bytes());
  }

  Reply one(Request request) {
    long id = AdminQuery.id(request);
    return codes
        .service()
        .find(id)
        .map(code -> Reply.json(200, withEvents(code).bytes()))
        .orElseGet(CodeAdmin::unknown);
  }

  Reply revoke(Request request) {
    String reason = AdminInput.reason(request.json(), LONGEST_REASON);
    return reply(codes.service().revoke(AdminQuery.id(request), AdminGuard.actor(request), reason));
  }

  Reply replace(Request request) {
    String reason = AdminInput.reason(request.json(), LONGEST_REASON);
    return reply(
        codes.service().replace(AdminQuery.id(request), AdminGuard.actor(request), reason));
  }

  Reply strength(Request request) {
    JsonText all = JsonText.array();
    for (CodeStrength.CodeSpace space : codes.strength().spaces()) {
      all.add(
          JsonText.object()
              .put("mask", space.mask())
              .putAny("products", space.products())
              .put("live_codes", space.live())
              .putAny("bits", Math.round(space.bits() * 100) / 100.0)
              .put("weak", space.isWeak()));
    }
    return Reply.json(200, JsonText.object().put("spaces", all).bytes());
  }

  Reply stock(Request request) {
    JsonText all = JsonText.array();
    for (SellerStock.Level level : codes.upkeep().stock().levels()) {
      all.add(
          JsonText.object()
              .put("product_id", level.productId())
              .put("codes_left", level.left())
              .put("orders_without_code", level.ordersWithout()));
    }
    return Reply.json(200, JsonText.object().put("products", all).bytes());
  }

  Reply merchants(Request request) {
    JsonText all = JsonText.array();
    codes.merchants().all().forEach(key -> all.add(json(key)));
    return Reply.json(200, JsonText.object().put("merchants", all).bytes());
  }

  Reply makeMerchant(Request request) {
    MerchantKeys.CreatedKey made =
        codes
            .merchants()
            .make(request.json().name("name", 1, LONGEST_NAME), AdminGuard.actor(request));
    return Reply.json(201, json(made.key()).put("key", made.clear()).bytes());
  }

  Reply revokeMerchant(Request request) {
    Optional<MerchantKeys.MerchantKey> key =
        codes.merchants().revoke(AdminQuery.id(request), AdminGuard.actor(request));
    return key.map(one -> Reply.json(200, json(one).bytes()))
        .orElseGet(() -> Reply.refuse(Refusal.of(ErrorCode.NOT_FOUND)));
  }

  private Reply reply(CodeOutcome outcome) {
    return switch (outcome) {
      case CodeOutcome.Done(Code code, boolean repeated) ->
          Reply.json(200, withEvents(code).put("success", true).put("repeated", repeated).bytes());
      case CodeOutcome.Replaced(Code code, String clear) ->
          Reply.json(200, withEvents(code).put("success", true).put("code", clear).bytes());
      case CodeOutcome.Unknown _ -> unknown();
      case CodeOutcome.Conflict(Code.State state) ->
          Reply.refuse(Refusal.of(ErrorCode.CODE_STATE_CONFLICT).with("state", state.word()));
    };
  }

  private static Reply unknown() {
    return Reply.refuse(Refusal.of(ErrorCode.CODE_NOT_FOUND));
  }

  private static Code.@Nullable State state(Request request) {
    String word = request.query("state");
    if (word == null) {
      return null;
    }
    try {
      return Code.State.of(word);
    } catch (IllegalArgumentException e) {
      throw new InvalidRequest(
          "state",
          "not_one_of",
          String.join(
              ", ", java.util.Arrays.stream(Code.State.values()).map(Code.State::word).toList()));
    }
  }

  private JsonText withEvents(Code code) {
    JsonText events = JsonText.array();
    for (Code.Event event : codes.service().events(code.id())) {
      Code.State from = event.from();
      events.add(
          JsonText.object()
              .put("from", from == null ? null : from.word())
              .put("to", event.to().word())
              .put("actor", event.actor())
              .put("reason", event.reason())
              .put("at", event.at().toString()));
    }
    return json(code)
        .putAny("replaces", codes.service().predecessor(code.id()).orElse(null))
        .put("events", events);
  }

  private static JsonText json(Code code) {
    Code.Life life = code.life();
    return JsonText.object()
        .put("id", code.id())
        .put("product_id", code.productId())
        .put("platform", code.bound().platform())
        .put("order_id", code.bound().orderId())
        .put("last4", code.last4())
        .put("state", code.state().word())
        .put("source", code.generated() ? "generated" : "seller")
        .putAny("duration_days", life.durationDays())
        .put("created_at", life.createdAt().toString())
        .put("assigned_at", text(life.assignedAt()))
        .put("activated_at", text(life.activatedAt()))
        .put("expires_at", text(life.expiresAt()))
        .putAny("replaced_by", life.replacedBy());
  }

  private static JsonText json(MerchantKeys.MerchantKey key) {
    return JsonText.object()
        .put("id", key.id())
        .put("name", key.name())
        .put("created_at", key.createdAt().toString())
        .put("created_by", key.createdBy())
        .put("revoked_at", text(key.revokedAt()));
  }

  static @Nullable String text(@Nullable Instant time) {
    return time == null ? null : time.toString();
  }
}
