package fairgate.redeem;

import static fairgate.platform.http.RouteLimits.ACT;

import fairgate.kernel.ErrorCode;
import fairgate.platform.http.Device;
import fairgate.platform.http.JsonBody;
import fairgate.platform.http.Refusal;
import fairgate.platform.http.Reply;
import fairgate.platform.http.Request;
import fairgate.platform.http.Route;
import fairgate.platform.json.JsonText;
import fairgate.platform.text.Messages;
import fairgate.redeem.code.Code;
import fairgate.redeem.code.CodeMask;
import fairgate.redeem.code.CodeService;
import fairgate.redeem.code.CodeService.CodeOutcome;
import fairgate.redeem.code.MerchantKeys;
import fairgate.redeem.guard.ClaimBudget;
import fairgate.redeem.guard.ClaimBudget.Attempt;
import fairgate.redeem.guard.ClaimBudget.Permit;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/// `POST /api/redeem/activate` for holders of a code, and `POST /api/redeem/check` for merchants.
final class CodeRoutes {
  private static final int MAX_CODE_LENGTH = 200;
  private static final String SCHEME = "Bearer ";

  private final CodeService codes;
  private final MerchantKeys merchants;
  private final ClaimBudget budget;
  private final ClaimService.Secrets secrets;
  private final CodeMask usual;
  private final RedeemConfig.Times times;

  CodeRoutes(
      CodeService codes,
      MerchantKeys merchants,
      ClaimBudget budget,
      ClaimService.Secrets secrets,
      RedeemConfig config) {
    this.codes = codes;
    this.merchants = merchants;
    this.budget = budget;
    this.secrets = secrets;
    // A mistyped code most likely was of this mask.
    this.usual = config.mask();
    this.times = config.times();
  }

  List<Route> routes() {
    return List.of(
        Route.blockingPost("/api/redeem/activate", this::activate).limits(ACT),
        Route.blockingPost("/api/redeem/check", this::check).limits(ACT));
  }

  private Reply activate(Request request) {
    JsonBody body = request.json();
    String code = body.text("code", 1, MAX_CODE_LENGTH);
    String deviceId = body.text("device_id", 1, ClaimRoutes.MAX_ID_LENGTH);
    Device device = request.device();
    String hash = secrets.device(device.id().value());
    String address = request.clientAddress();
    Attempt attempt =
        new Attempt(
            address, device.fresh() ? Attempt.self(deviceId, address) : hash, deviceId, "", false);
    return switch (budget.take(attempt)) {
      case Permit.Limited(Duration retryAfter) ->
          ClaimRoutes.retryLater(ErrorCode.RATE_LIMIT_EXCEEDED, retryAfter);
      case Permit.Banned(Duration retryAfter) ->
          ClaimRoutes.retryLater(ErrorCode.CLIENT_BANNED, retryAfter);
      case Permit.Granted _ -> activated(request, codes.activate(code, hash, usual), attempt);
    };
  }

  private Reply activated(Request request, CodeOutcome outcome, Attempt attempt) {
    return switch (outcome) {
      case CodeOutcome.Done(Code code, boolean repeated) -> {
        JsonText body =
            JsonText.object()
                .put("success", true)
                .put("message", Messages.text(request.language(), "success.activate"))
                .put("data", facts(code));
        if (repeated) {
          body.put("replayed", true);
        }
        yield Reply.json(200, body.bytes());
      }
      case CodeOutcome.Unknown(boolean typo) -> {
        Refusal refusal = Refusal.of(ErrorCode.CODE_NOT_FOUND);
        if (typo) {
          // No code was ever drawn so: it cannot be a guess that is any use.
          yield Reply.refuse(refusal.with("typo", true));
        }
        budget.miss(attempt);
        yield Reply.refuse(refusal);
      }
      case CodeOutcome.Conflict(Code.State state) ->
          Reply.refuse(Refusal.of(ErrorCode.CODE_STATE_CONFLICT).with("state", state.word()));
      case CodeOutcome.Replaced _ -> throw new IllegalStateException("activation replaces nothing");
    };
  }

  private Reply check(Request request) {
    Optional<MerchantKeys.MerchantKey> key =
        Optional.ofNullable(bearer(request)).flatMap(merchants::find);
    if (key.isEmpty()) {
      return Reply.refuse(Refusal.of(ErrorCode.UNAUTHORIZED))
          .header("www-authenticate", "Bearer realm=\"fairgate\"");
    }
    return codes
        .check(request.json().text("code", 1, MAX_CODE_LENGTH))
        .map(
            code ->
                Reply.json(
                    200,
                    JsonText.object()
                        .put("success", true)
                        .put("data", facts(code).put("good", codes.isGood(code)))
                        .bytes()))
        .orElseGet(() -> Reply.refuse(Refusal.of(ErrorCode.CODE_NOT_FOUND)));
  }

  private JsonText facts(Code code) {
    return JsonText.object()
        .put("product_id", code.productId())
        .put("state", code.state().word())
        .put("activated_at", times.text(code.life().activatedAt()))
        .put("expires_at", times.text(code.life().expiresAt()))
        .putAny("duration_days", code.life().durationDays());
  }

  private static @org.jspecify.annotations.Nullable String bearer(Request request) {
    String header = request.header("authorization");
    return header != null && header.regionMatches(true, 0, SCHEME, 0, SCHEME.length())
        ? header.substring(SCHEME.length()).strip()
        : null;
  }
}
