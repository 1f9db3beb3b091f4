package fairgate.gate.signature;

import static fairgate.kernel.Role.OWNER;

import fairgate.gate.signature.ApiKeys.ApiKey;
import fairgate.kernel.ErrorCode;
import fairgate.platform.admin.AdminGuard;
import fairgate.platform.admin.AdminInput;
import fairgate.platform.http.InvalidRequest;
import fairgate.platform.http.JsonBody;
import fairgate.platform.http.Refusal;
import fairgate.platform.http.Reply;
import fairgate.platform.http.Request;
import fairgate.platform.http.Route;
import fairgate.platform.json.JsonText;
import java.time.Clock;
import java.time.Instant;
import java.time.format.DateTimeParseException;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// `/api/admin/api-keys`: the keys with which programs sign requests. Every method blocks.
final class ApiKeyAdmin {
  private static final int LONGEST_NAME = 100;

  private final ApiKeys keys;
  private final Clock clock;

  ApiKeyAdmin(ApiKeys keys, Clock clock) {
    this.keys = keys;
    this.clock = clock;
  }

  List<Route> routes(AdminGuard admin) {
    return List.of(
        Route.blockingGet("/api/admin/api-keys", admin.guard(this::list)).roles(OWNER),
        Route.blockingPost(
                "/api/admin/api-keys",
                admin.guard(AdminInput.body("name", "expires_at"), this::create))
            .roles(OWNER),
        Route.blockingDelete("/api/admin/api-keys/{id}", admin.guard(this::revoke))
            .roles(OWNER)
            .withReason(true));
  }

  private Reply list(Request request) {
    JsonText all = JsonText.array();
    for (ApiKey key : keys.all()) {
      all = all.add(json(key));
    }
    return Reply.json(200, JsonText.object().put("keys", all).bytes());
  }

  /// The response shows the secret once.
  private Reply create(Request request) {
    JsonBody body = request.json();
    String name = body.name("name", 1, LONGEST_NAME);
    return keys.create(name, expiry(body), AdminGuard.actor(request))
        .map(made -> Reply.json(201, json(made.key()).put("secret", made.secret()).bytes()))
        .orElseGet(() -> Reply.refuse(Refusal.of(ErrorCode.TOO_MANY_API_KEYS)));
  }

  /// A repeat has the same response.
  private Reply revoke(Request request) {
    return keys.revoke(request.pathParam("id"), AdminGuard.actor(request))
        .map(key -> Reply.json(200, json(key).bytes()))
        .orElseGet(() -> Reply.refuse(Refusal.of(ErrorCode.NOT_FOUND)));
  }

  private @Nullable Instant expiry(JsonBody body) {
    String text = body.optionalText("expires_at");
    if (text == null) {
      return null;
    }
    try {
      Instant expiry = Instant.parse(text);
      if (expiry.isAfter(clock.instant())) {
        return expiry;
      }
      throw new InvalidRequest("expires_at", "after", clock.instant());
    } catch (DateTimeParseException e) {
      throw new InvalidRequest("expires_at", "not_instant");
    }
  }

  private JsonText json(ApiKey key) {
    return JsonText.object()
        .put("key_id", key.id())
        .put("name", key.name())
        .put("created_at", key.createdAt().toString())
        .put("created_by", key.createdBy())
        .put("expires_at", text(key.expiresAt()))
        .put("revoked_at", text(key.revokedAt()))
        .put("live", key.isLive(clock.instant()));
  }

  private static @Nullable String text(@Nullable Instant time) {
    return time == null ? null : time.toString();
  }
}
