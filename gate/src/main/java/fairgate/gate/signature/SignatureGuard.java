package fairgate.gate.signature;

import fairgate.gate.limit.LimitFacts;
import fairgate.gate.signature.SignatureService.SignatureOutcome;
import fairgate.kernel.ErrorCode;
import fairgate.platform.http.Action;
import fairgate.platform.http.Guard;
import fairgate.platform.http.Refusal;
import fairgate.platform.http.Reply;
import fairgate.platform.http.Request;
import fairgate.platform.http.RouteLimits;
import fairgate.platform.observe.Metrics;
import fairgate.platform.redis.SingleUse;
import io.micrometer.core.instrument.Counter;
import io.vertx.core.Future;
import java.time.Duration;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/// Refuses requests with an invalid or replayed signature, and unsigned requests to routes that
/// require one. It runs before the limits; refused requests count in the limits as well.
///
/// On a route with limits, the limit script spends the nonce, all or nothing with the limits; this
/// guard passes it the nonce in the same call. On other routes the guard spends the nonce itself.
///
/// @param tag begins the keys of nonces, as the limits have them
record SignatureGuard(
    SignatureService signatures,
    SignatureConfig config,
    SingleUse nonces,
    String tag,
    SignatureMeters meters,
    @Nullable Guard next)
    implements Guard {
  private static final Duration SOON = Duration.ofSeconds(1);

  /// The signature of the request whose limits are being checked, for [#tell].
  private static final ScopedValue<SignatureOutcome.Signed> SIGNED = ScopedValue.newInstance();

  @Override
  public @Nullable RouteGuard routeGuard(Action action, RouteLimits limits) {
    RouteGuard behind = next == null ? null : next.routeGuard(action, limits);
    return action.path().startsWith("/api/")
        ? new SignatureRouteGuard(behind, config.requires(action))
        : behind;
  }

  /// Makes the limits spend the nonce of a signed request.
  static LimitFacts tell(Request request, LimitFacts facts) {
    if (!SIGNED.isBound()) {
      return facts;
    }
    SignatureOutcome.Signed signed = SIGNED.get();
    return facts.withOnce(new LimitFacts.Nonce(signed.nonceKey(), signed.remember().toMillis()));
  }

  private final class SignatureRouteGuard extends Chained {
    private final boolean required;

    SignatureRouteGuard(@Nullable RouteGuard behind, boolean required) {
      super(behind);
      this.required = required;
    }

    @Override
    public Future<Optional<Reply>> judge(Request request) {
      return switch (signatures.examine(request)) {
        case SignatureOutcome.Unsigned() ->
            required
                ? super.judge(request).compose(stop -> refuse(stop, "missing"))
                : super.judge(request);
        case SignatureOutcome.Rejected(String reason) ->
            super.judge(request).compose(stop -> refuse(stop, reason));
        case SignatureOutcome.Signed signed ->
            hasNext()
                ? ScopedValue.where(SIGNED, signed)
                    .call(() -> super.judge(request))
                    .compose(SignatureGuard.this::spent)
                : spend(signed);
      };
    }

    private Future<Optional<Reply>> refuse(Optional<Reply> stop, String reason) {
      meters.rejected().increment();
      return stopped(stop.isPresent() ? stop : Optional.of(refusal(reason)));
    }

    private Future<Optional<Reply>> spend(SignatureOutcome.Signed signed) {
      return nonces
          .use(tag + signed.nonceKey(), signed.remember())
          .compose(
              first -> {
                (first ? meters.signed() : meters.replayed()).increment();
                return first ? PASS : stopped(Optional.of(refusal("nonce")));
              },
              // Replay cannot be ruled out now, so it does not pass.
              _ ->
                  stopped(
                      Optional.of(
                          Reply.refuse(
                              Refusal.of(ErrorCode.SERVICE_UNAVAILABLE).retryAfter(SOON)))));
    }
  }

  /// Maps the limits' reply to a signed request.
  private Future<Optional<Reply>> spent(Optional<Reply> stop) {
    Refusal refusal = stop.map(Reply::refusal).orElse(null);
    if (refusal != null && refusal.code() == ErrorCode.INVALID_SIGNATURE) {
      meters.replayed().increment();
      return stopped(Optional.of(refusal("nonce")));
    }
    if (stop.isEmpty()) {
      meters.signed().increment();
    }
    return stopped(stop);
  }

  private static Future<Optional<Reply>> stopped(Optional<Reply> stop) {
    return Future.succeededFuture(stop);
  }

  static Reply refusal(String reason) {
    return Reply.refuse(Refusal.of(ErrorCode.INVALID_REQUEST_SIGNATURE).with("reason", reason))
        .header("accept-signature", SignatureService.ACCEPT);
  }

  /// `fairgate_signatures_total`, by result, for signed requests and for unsigned ones to routes
  /// that require a signature.
  record SignatureMeters(Counter signed, Counter rejected, Counter replayed) {
    static SignatureMeters of(Metrics metrics) {
      return new SignatureMeters(
          counter(metrics, "signed"), counter(metrics, "rejected"), counter(metrics, "replayed"));
    }

    private static Counter counter(Metrics metrics, String outcome) {
      return metrics.counter("fairgate_signatures", "Signatures judged", "outcome", outcome);
    }
  }
}
