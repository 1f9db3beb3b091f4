package fairgate.redeem;

import static fairgate.platform.http.RouteLimits.ACT;

import fairgate.kernel.ErrorCode;
import fairgate.kernel.ServiceUnavailable;
import fairgate.platform.http.Device;
import fairgate.platform.http.InvalidRequest;
import fairgate.platform.http.JsonBody;
import fairgate.platform.http.Refusal;
import fairgate.platform.http.Reply;
import fairgate.platform.http.Request;
import fairgate.platform.http.Route;
import fairgate.platform.json.JsonText;
import fairgate.platform.observe.Metrics;
import fairgate.platform.run.BlockingWork;
import fairgate.platform.text.Messages;
import fairgate.redeem.orders.OrderNumberFormats;
import io.micrometer.core.instrument.Counter;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Semaphore;
import org.jspecify.annotations.Nullable;

/// `POST /api/redeem/claim`.
final class ClaimRoutes implements AutoCloseable {
  /// The status of a claim whose order is refused, as the source document asks, also for error
  /// codes that are 404 elsewhere.
  static final int REFUSED_ORDER_STATUS = 400;

  static final int MAX_ID_LENGTH = 100;
  private static final int MAX_SIGNATURE_LENGTH = 256;
  private static final Duration RETRY_AFTER = Duration.ofSeconds(1);

  private static final int MAX_CONCURRENT_CLAIMS = 4_096;

  private final ClaimService claims;
  private final OrderNumberFormats shapes;
  private final RedeemConfig.Times times;
  private final ClaimMeters meters;
  private final Semaphore permits = new Semaphore(MAX_CONCURRENT_CLAIMS);
  private final ExecutorService threads = BlockingWork.executor("claim");

  ClaimRoutes(ClaimService claims, RedeemConfig config, ClaimMeters meters) {
    this.meters = meters;
    this.claims = claims;
    this.shapes = config.shapes();
    this.times = config.times();
  }

  List<Route> routes() {
    return List.of(Route.post("/api/redeem/claim", this::claim).limits(ACT));
  }

  private Future<Reply> claim(Request request) {
    JsonBody body = request.json();
    String product = body.text("product_id", 1, MAX_ID_LENGTH);
    if (!RedeemProduct.isId(product)) {
      throw body.problem("product_id", "bad_format");
    }
    ClaimRequest claim =
        new ClaimRequest(
            body.text("order_id", 1, MAX_ID_LENGTH),
            product,
            platform(body),
            body.optionalText("signature", 1, MAX_SIGNATURE_LENGTH),
            claimant(body, request),
            request);
    return runBlocking(() -> claims.claim(claim))
        .map(
            outcome -> {
              meters.count(outcome);
              return reply(request, outcome);
            });
  }

  private @Nullable String platform(JsonBody body) {
    String platform = body.optionalText("platform", 1, MAX_ID_LENGTH);
    if (platform != null && !shapes.knows(platform)) {
      throw body.problem("platform", "not_one_of", String.join(", ", shapes.names()));
    }
    return platform;
  }

  private static ClaimRequest.Claimant claimant(JsonBody body, Request request) {
    // The caller states `device_id`; the device of the request is the signed cookie.
    Device device = request.device();
    boolean hadCookie = !device.fresh();
    return new ClaimRequest.Claimant(
        body.text("device_id", 1, MAX_ID_LENGTH), device.id().value(), hadCookie, request.caller());
  }

  private Reply reply(Request request, ClaimOutcome outcome) {
    return switch (outcome) {
      case ClaimOutcome.Claimed claimed -> claimed(request, claimed);
      case ClaimOutcome.NoOrderNumber() -> throw new InvalidRequest("order_id", "no_order_number");
      case ClaimOutcome.Ambiguous(List<String> platforms) ->
          throw new InvalidRequest("platform", "not_one_of", String.join(", ", platforms));
      case ClaimOutcome.Refused refused -> Reply.refuse(REFUSED_ORDER_STATUS, refused.refusal());
      case ClaimOutcome.Failed failed -> Reply.refuse(failed.refusal());
    };
  }

  static Reply retryLater(ErrorCode code, Duration retryAfter) {
    return Reply.refuse(Refusal.of(code).retryAfter(retryAfter));
  }

  private Reply claimed(Request request, ClaimOutcome.Claimed claimed) {
    JsonText data =
        JsonText.object()
            .put("code", claimed.code())
            .put("expires_at", times.text(claimed.expiresAt()))
            .putAny("duration_days", claimed.durationDays());
    JsonText body =
        JsonText.object()
            .put("success", true)
            .put("message", Messages.text(request.language(), "success.claim"))
            .put("data", data);
    if (claimed.replayed()) {
      body.put("replayed", true);
    }
    return Reply.json(200, body.bytes());
  }

  /// Runs blocking work on a new virtual thread. Fails with ServiceUnavailable while the maximum
  /// number of claims is running.
  private <T> Future<T> runBlocking(Callable<T> work) {
    if (!permits.tryAcquire()) {
      return Future.failedFuture(new ServiceUnavailable("too many concurrent claims", RETRY_AFTER));
    }
    Promise<T> promise = Promise.promise();
    threads.execute(
        () -> {
          try {
            promise.complete(work.call());
          } catch (Exception | Error e) {
            promise.fail(e);
          } finally {
            permits.release();
          }
        });
    return promise.future();
  }

  @Override
  public void close() {
    threads.shutdownNow();
  }

  static final class ClaimMeters {
    private final Counter claimed;
    private final Counter replayed;
    private final Counter refused;
    private final Counter limited;
    private final Counter banned;
    private final Counter unavailable;
    private final Counter malformed;
    private final Counter runOut;

    ClaimMeters(Metrics metrics) {
      this.claimed = counter(metrics, "claimed");
      this.replayed = counter(metrics, "replayed");
      this.refused = counter(metrics, "refused");
      this.limited = counter(metrics, "limited");
      this.banned = counter(metrics, "banned");
      this.unavailable = counter(metrics, "unavailable");
      this.malformed = counter(metrics, "malformed");
      this.runOut = counter(metrics, "run_out");
    }

    void count(ClaimOutcome outcome) {
      Counter counter =
          switch (outcome) {
            case ClaimOutcome.Claimed done -> done.replayed() ? replayed : claimed;
            case ClaimOutcome.Refused _, ClaimOutcome.Risky _ -> refused;
            case ClaimOutcome.Limited _ -> limited;
            case ClaimOutcome.Banned _ -> banned;
            case ClaimOutcome.Unavailable _ -> unavailable;
            case ClaimOutcome.RunOut _ -> runOut;
            case ClaimOutcome.NoOrderNumber _, ClaimOutcome.Ambiguous _ -> malformed;
          };
      counter.increment();
    }

    private static Counter counter(Metrics metrics, String outcome) {
      return metrics.counter("fairgate_claims", "Claims of orders", "outcome", outcome);
    }
  }
}
