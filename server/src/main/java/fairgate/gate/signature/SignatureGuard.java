package fairgate.gate.signature;

import fairgate.gate.limit.Inspector;
import fairgate.gate.limit.LimitFacts;
import fairgate.kernel.ErrorCode;
import fairgate.platform.http.Guard;
import fairgate.platform.http.Method;
import fairgate.platform.http.Refusal;
import fairgate.platform.http.Reply;
import fairgate.platform.http.Request;
import io.vertx.core.Future;
import java.time.Duration;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/// Stands before the API, in front of the limits where there are any: a request that is signed
/// wrongly, was there before, or is not signed though it has to be, does not pass. Wrong ones count
/// in the limits all the same.
///
/// Where a route has limits, the nonce is spent by their own script, all or nothing with them; this
/// guard tells them of it in the same call. Elsewhere it spends the nonce itself.
final class SignatureGuard implements Guard {
  private static final Duration SOON = Duration.ofSeconds(1);

  /// The signature of the request whose limits are being judged, for [#tell].
  private static final ScopedValue<SignatureOutcome.Signed> SIGNED = ScopedValue.newInstance();

  private final SignatureService signatures;
  private final SignatureConfig config;
  private final RedisNonces nonces;
  private final SignatureMeters meters;
  private final @Nullable Guard next;

  SignatureGuard(
      SignatureService signatures,
      SignatureConfig config,
      RedisNonces nonces,
      SignatureMeters meters,
      @Nullable Guard next) {
    this.signatures = signatures;
    this.config = config;
    this.nonces = nonces;
    this.meters = meters;
    this.next = next;
  }

  @Override
  public @Nullable Watch watch(Method method, String path) {
    Watch behind = next == null ? null : next.watch(method, path);
    return path.startsWith("/api/")
        ? new SignedWatch(behind, config.requires(method, path))
        : behind;
  }

  /// Has the limits spend the nonce of a signed request.
  static Inspector.Finding tell(Request request, LimitFacts facts) {
    if (!SIGNED.isBound()) {
      return new Inspector.Finding.Facts(facts);
    }
    SignatureOutcome.Signed signed = SIGNED.get();
    return new Inspector.Finding.Facts(
        facts.withOnce(new LimitFacts.Once(signed.nonceKey(), signed.remember().toMillis())));
  }

  private final class SignedWatch implements Watch {
    private final @Nullable Watch behind;
    private final boolean required;

    SignedWatch(@Nullable Watch behind, boolean required) {
      this.behind = behind;
      this.required = required;
    }

    @Override
    public @Nullable Reply enter(Request request) {
      return behind == null ? null : behind.enter(request);
    }

    @Override
    public void left(Request request) {
      if (behind != null) {
        behind.left(request);
      }
    }

    @Override
    public Future<Optional<Reply>> judge(Request request) {
      return switch (signatures.examine(request)) {
        case SignatureOutcome.Unsigned() ->
            required ? onward(request).compose(stop -> refuse(stop, "missing")) : onward(request);
        case SignatureOutcome.Rejected(String reason) ->
            onward(request).compose(stop -> refuse(stop, reason));
        case SignatureOutcome.Signed signed -> {
          Watch limits = behind;
          yield limits == null
              ? spend(signed)
              : ScopedValue.where(SIGNED, signed)
                  .call(() -> limits.judge(request))
                  .compose(SignatureGuard.this::spent);
        }
      };
    }

    private Future<Optional<Reply>> onward(Request request) {
      return behind == null ? PASS : behind.judge(request);
    }

    private Future<Optional<Reply>> refuse(Optional<Reply> stop, String reason) {
      meters.rejected().increment();
      return stopped(stop.isPresent() ? stop : Optional.of(refusal(reason)));
    }

    private Future<Optional<Reply>> spend(SignatureOutcome.Signed signed) {
      return nonces
          .spend(signed.nonceKey(), signed.remember())
          .compose(
              first -> {
                (first ? meters.signed() : meters.replayed()).increment();
                return first ? PASS : stopped(Optional.of(refusal("nonce")));
              },
              // Whether it was there before cannot be told now, so it does not pass.
              _ ->
                  stopped(
                      Optional.of(
                          Reply.refuse(
                              Refusal.of(ErrorCode.SERVICE_UNAVAILABLE).retryAfter(SOON)))));
    }
  }

  /// What the limits said of a signed request.
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
}
