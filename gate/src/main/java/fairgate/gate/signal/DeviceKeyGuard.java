package fairgate.gate.signal;

import fairgate.gate.signal.DeviceProof.Result;
import fairgate.kernel.Caller;
import fairgate.kernel.ErrorCode;
import fairgate.kernel.ProductId;
import fairgate.kernel.ServiceUnavailable;
import fairgate.kernel.SessionId;
import fairgate.platform.http.Action;
import fairgate.platform.http.Guard;
import fairgate.platform.http.Refusal;
import fairgate.platform.http.Reply;
import fairgate.platform.http.Request;
import fairgate.platform.http.RouteLimits;
import fairgate.platform.http.SessionOf;
import io.vertx.core.Future;
import java.time.Duration;
import java.util.Optional;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/// Verifies the device key of joins and purchases after all other guards, because that costs a
/// signature check. It refuses only where the policy of the sale requires a key: a join without a
/// valid proof, and a purchase without the key of the join. The forms for browsers without
/// JavaScript cannot prove a key.
///
/// @param first called before; null for none
/// @param isRequired whether a sale requires device keys
/// @param isExempt whether an appeal of the caller was granted
record DeviceKeyGuard(
    @Nullable Guard first,
    DeviceKeys keys,
    Predicate<ProductId> isRequired,
    Predicate<Caller> isExempt)
    implements Guard {
  private static final Duration RETRY_AFTER = Duration.ofSeconds(1);

  @Override
  public @Nullable RouteGuard routeGuard(Action action, RouteLimits limits) {
    RouteGuard inner = first == null ? null : first.routeGuard(action, limits);
    return switch (action.toString()) {
      case "POST " + DeviceKeys.JOIN, "POST " + DeviceKeys.PURCHASE -> new Checked(inner);
      default -> inner;
    };
  }

  private final class Checked extends Chained {
    Checked(@Nullable RouteGuard inner) {
      super(inner);
    }

    @Override
    public Future<Optional<Reply>> judge(Request request) {
      Future<Optional<Reply>> before = super.judge(request);
      if (before.succeeded()) {
        return before.result().isPresent() ? before : check(request);
      }
      return before.compose(
          reply -> reply.isPresent() ? Future.succeededFuture(reply) : check(request));
    }

    private Future<Optional<Reply>> check(Request request) {
      if (isForm(request)) {
        return decide(request, request.pathParam("id"), new Result.Absent());
      }
      Future<Result> result = keys.verify(request);
      String product = DeviceKeys.text(request, "product_id");
      return result.isComplete()
          ? decide(request, product, result.result())
          : result.compose(verified -> decide(request, product, verified));
    }

    /// Forms have the action of the API, and the product in their path.
    private static boolean isForm(Request request) {
      return !request.path().equals(DeviceKeys.JOIN) && !request.path().equals(DeviceKeys.PURCHASE);
    }

    private Future<Optional<Reply>> decide(
        Request request, @Nullable String product, Result result) {
      if (product == null
          || !ProductId.isValid(product)
          || !isRequired.test(new ProductId(product))
          || isExempt.test(request.caller())) {
        return PASS;
      }
      Optional<String> hash = keys.hash(result);
      if (hash.isEmpty()) {
        return switch (result) {
          case Result.Unchecked() ->
              Future.failedFuture(new ServiceUnavailable("too many proofs", RETRY_AFTER));
          case Result.Invalid _ -> refuse("invalid");
          case Result.Used() -> refuse("used");
          case Result.Absent(), Result.Valid _ -> refuse("missing");
        };
      }
      SessionId session = SessionOf.optional(request);
      if (request.path().equals(DeviceKeys.JOIN) || session == null) {
        return PASS;
      }
      return keys.ofPlace(new ProductId(product), session)
          .compose(place -> place.keyHash().equals(hash) ? PASS : refuse("changed"));
    }

    @Override
    public void left(Request request) {
      keys.left(request);
      super.left(request);
    }
  }

  /// @param problem `missing`, `invalid`, `used` or `changed`
  private static Future<Optional<Reply>> refuse(String problem) {
    return Future.succeededFuture(
        Optional.of(
            Reply.refuse(Refusal.of(ErrorCode.DEVICE_KEY_REQUIRED).with("device_key", problem))));
  }
}
