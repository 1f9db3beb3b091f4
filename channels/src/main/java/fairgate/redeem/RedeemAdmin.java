package fairgate.redeem;

import static fairgate.kernel.Role.OWNER;
import static fairgate.kernel.Role.SELLER;
import static fairgate.kernel.Role.SUPPORT;
import static fairgate.kernel.Role.VIEWER;

import fairgate.kernel.ErrorCode;
import fairgate.platform.admin.AdminGuard;
import fairgate.platform.admin.AdminInput;
import fairgate.platform.admin.AdminQuery;
import fairgate.platform.http.InvalidRequest;
import fairgate.platform.http.JsonBody;
import fairgate.platform.http.Refusal;
import fairgate.platform.http.Reply;
import fairgate.platform.http.Request;
import fairgate.platform.http.Route;
import fairgate.platform.json.JsonText;
import fairgate.redeem.guard.ClaimBans;
import fairgate.redeem.guard.ClaimGuard;
import fairgate.redeem.guard.FailureLog;
import java.util.List;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/// Redemption for operators: products, refused claims and bans. `CodeAdmin` has the codes.
record RedeemAdmin(
    RedeemProducts products, ClaimService claims, ClaimGuard guard, CodeAdmin codes) {
  private static final Pattern PREFIX = Pattern.compile("[A-Z0-9]{1,12}");
  private static final int LONGEST_NAME = 200;
  private static final int LONGEST_REASON = 200;

  List<Route> routes(AdminGuard admin) {
    return List.of(
        Route.blockingGet("/api/admin/redeem/products", admin.guard(this::products)).roles(VIEWER),
        Route.blockingPut(
                "/api/admin/redeem/products/{id}",
                admin.guard(
                    AdminInput.body(
                        "name",
                        "duration_days",
                        "starts",
                        "activate_within_days",
                        "code_prefix",
                        "codes"),
                    this::save))
            .roles(SELLER),
        Route.blockingGet(
                "/api/admin/redeem/failures",
                admin.guard(
                    AdminInput.query("ip_address", "order_id", "after", "limit"), this::failures))
            .roles(SUPPORT),
        Route.blockingGet(
                "/api/admin/redeem/bans", admin.guard(AdminInput.query("all", "limit"), this::bans))
            .roles(SUPPORT),
        Route.blockingPost(
                "/api/admin/redeem/bans/{id}/lift",
                admin.guard(AdminInput.body("reason"), this::lift))
            .roles(SUPPORT),
        Route.blockingGet(
                "/api/admin/redeem/codes",
                admin.guard(
                    AdminInput.query("last4", "order_id", "state", "product_id", "after", "limit"),
                    codes::list))
            .roles(SUPPORT, SELLER),
        Route.blockingPost(
                "/api/admin/redeem/codes/search",
                admin.guard(AdminInput.body("redemption_code"), codes::search))
            .roles(SUPPORT, SELLER),
        Route.blockingGet("/api/admin/redeem/codes/{id}", admin.guard(codes::one))
            .roles(SUPPORT, SELLER),
        Route.blockingPost(
                "/api/admin/redeem/codes/{id}/revoke",
                admin.guard(AdminInput.body("reason"), codes::revoke))
            .roles(SUPPORT, SELLER)
            .withReason(true),
        Route.blockingPost(
                "/api/admin/redeem/codes/{id}/replace",
                admin.guard(AdminInput.body("reason"), codes::replace))
            .roles(SUPPORT, SELLER)
            .withReason(true),
        Route.blockingGet("/api/admin/redeem/strength", admin.guard(codes::strength)).roles(VIEWER),
        Route.blockingGet("/api/admin/redeem/stock", admin.guard(codes::stock)).roles(VIEWER),
        Route.blockingGet("/api/admin/redeem/merchants", admin.guard(codes::merchants))
            .roles(SELLER),
        Route.blockingPost(
                "/api/admin/redeem/merchants",
                admin.guard(AdminInput.body("name"), codes::makeMerchant))
            .roles(OWNER),
        Route.blockingDelete("/api/admin/redeem/merchants/{id}", admin.guard(codes::revokeMerchant))
            .roles(OWNER)
            .withReason(true));
  }

  private Reply products(Request request) {
    JsonText all = JsonText.array();
    products.all().forEach(product -> all.add(json(product)));
    return Reply.json(200, JsonText.object().put("products", all).bytes());
  }

  private Reply save(Request request) {
    String id = request.pathParam("id");
    if (!RedeemProduct.isId(id)) {
      throw new InvalidRequest("id", "bad_format");
    }
    JsonBody body = request.json();
    String starts = body.optionalText("starts");
    RedeemProduct product =
        new RedeemProduct(
            id,
            body.name("name", 1, LONGEST_NAME),
            days(body, "duration_days"),
            starts(body, starts == null ? RedeemProduct.Starts.CLAIM.word() : starts),
            days(body, "activate_within_days"),
            prefix(body),
            codes(body),
            false);
    products.save(product, AdminGuard.actor(request));
    return Reply.json(200, json(product).bytes());
  }

  private static @Nullable Integer days(JsonBody body, String field) {
    return body.has(field) ? body.integer(field, 1, RedeemProduct.MAX_DAYS) : null;
  }

  private static RedeemProduct.Starts starts(JsonBody body, String word) {
    try {
      return RedeemProduct.Starts.of(word);
    } catch (IllegalArgumentException e) {
      throw body.problem("starts", "not_one_of", "claim, first_use");
    }
  }

  private static @Nullable String prefix(JsonBody body) {
    String prefix = body.optionalText("code_prefix");
    if (prefix != null && !PREFIX.matcher(prefix).matches()) {
      throw body.problem("code_prefix", "bad_format");
    }
    return prefix;
  }

  private static RedeemProduct.@Nullable Codes codes(JsonBody body) {
    String word = body.optionalText("codes");
    try {
      return word == null ? null : RedeemProduct.Codes.of(word);
    } catch (IllegalArgumentException e) {
      throw body.problem("codes", "not_one_of", "generated, seller");
    }
  }

  private Reply failures(Request request) {
    int limit = AdminQuery.limit(request);
    String order = request.query("order_id");
    String hash = order == null ? null : claims.hashOf(order);
    List<FailureLog.StoredFailure> page =
        guard.failures().list(request.query("ip_address"), hash, AdminQuery.after(request), limit);
    JsonText all = JsonText.array();
    for (FailureLog.StoredFailure kept : page) {
      all.add(
          JsonText.object()
              .put("id", kept.id())
              .put("order_hash", kept.failure().orderHash())
              .put("product_id", kept.failure().productId())
              .put("device_id", kept.failure().deviceId())
              .put("ip_address", kept.failure().address())
              .put("failure_reason", kept.failure().reason())
              .put("attempted_at", kept.failure().at().toString()));
    }
    JsonText body = JsonText.object().put("failures", all);
    if (hash != null) {
      body.put("order_hash", hash);
    }
    if (page.size() == limit) {
      body.put("after", page.getLast().id());
    }
    return Reply.json(200, body.bytes());
  }

  private Reply bans(Request request) {
    JsonText all = JsonText.array();
    guard
        .bans()
        .list(AdminQuery.flag(request, "all"), AdminQuery.limit(request))
        .forEach(ban -> all.add(json(ban)));
    return Reply.json(200, JsonText.object().put("bans", all).bytes());
  }

  private Reply lift(Request request) {
    String reason = AdminInput.reason(request.json(), LONGEST_REASON);
    return guard
        .bans()
        .lift(AdminQuery.id(request), AdminGuard.actor(request), reason)
        .map(ban -> Reply.json(200, json(ban).bytes()))
        .orElseGet(() -> Reply.refuse(Refusal.of(ErrorCode.NOT_FOUND)));
  }

  private static JsonText json(ClaimBans.Ban ban) {
    return JsonText.object()
        .put("id", ban.id())
        .put("subject", ban.subject())
        .put("reason", ban.reason())
        .put("banned_at", ban.bannedAt().toString())
        .put("until", ban.until().toString())
        .put("lifted_at", CodeAdmin.text(ban.liftedAt()))
        .put("lifted_by", ban.liftedBy());
  }

  private static JsonText json(RedeemProduct product) {
    RedeemProduct.Codes codes = product.codes();
    return JsonText.object()
        .put("id", product.id())
        .put("name", product.name())
        .putAny("duration_days", product.durationDays())
        .put("starts", product.starts().word())
        .putAny("activate_within_days", product.activateWithinDays())
        .put("code_prefix", product.codePrefix())
        .put("codes", codes == null ? null : codes.word());
  }
}
