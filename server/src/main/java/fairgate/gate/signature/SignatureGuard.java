package fairgate.gate.signature;

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

/// Stands before the API, in front of another guard where there is one: a request that is signed
/// wrongly, was there before, or is not signed though it has to be, does not pass. Wrong ones count
/// in the other guard's limits all the same.
final class SignatureGuard implements Guard {
  private static final Duration SOON = Duration.ofSeconds(1);

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
        case SignatureOutcome.Signed signed ->
            onward(request).compose(stop -> stop.isPresent() ? stopped(stop) : spend(signed));
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

  private static Future<Optional<Reply>> stopped(Optional<Reply> stop) {
    return Future.succeededFuture(stop);
  }

  static Reply refusal(String reason) {
    return Reply.refuse(Refusal.of(ErrorCode.INVALID_REQUEST_SIGNATURE).with("reason", reason))
        .header("accept-signature", SignatureService.ACCEPT);
  }
}
