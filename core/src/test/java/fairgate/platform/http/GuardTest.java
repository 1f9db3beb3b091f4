package fairgate.platform.http;

import static org.assertj.core.api.Assertions.assertThat;

import fairgate.kernel.ErrorCode;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/// A guard admits and checks requests, and is told when each has ended.
final class GuardTest {
  private static final Reply STOP =
      Reply.refuse(Refusal.of(ErrorCode.RATE_LIMIT_EXCEEDED).retryAfter(Duration.ofSeconds(2)))
          .header("ratelimit", "\"ip\";r=0;t=2");

  private final AtomicInteger entered = new AtomicInteger();
  private final AtomicInteger handled = new AtomicInteger();
  private final CountDownLatch left = new CountDownLatch(1);
  private final AtomicInteger departures = new AtomicInteger();
  private final TestServer server;
  private final AtomicInteger enteredWith = new AtomicInteger(-1);
  private volatile @Nullable Reply headVerdict;
  private volatile Future<Optional<Reply>> verdict = Guard.RouteGuard.PASS;

  GuardTest() {
    Guard.RouteGuard routeGuard =
        new Guard.RouteGuard() {
          @Override
          public @Nullable Reply enter(Request request) {
            entered.incrementAndGet();
            enteredWith.set(request.body().length);
            return headVerdict;
          }

          @Override
          public Future<Optional<Reply>> judge(Request request) {
            return verdict;
          }

          @Override
          public void left(Request request) {
            departures.incrementAndGet();
            left.countDown();
          }
        };
    server =
        TestServer.guarded(
            (action, _) -> action.path().equals("/free") ? null : routeGuard,
            Route.get("/free", this::handle),
            Route.get("/guarded", this::handle),
            Route.post("/guarded", this::handle),
            Route.post("/form", this::handle).withBodyBeforeLimits(),
            Route.get("/broken", _ -> Future.failedFuture("broken")),
            Route.get("/events", _ -> Future.succeededFuture(Reply.events(EventStream::close))));
  }

  @AfterEach
  void close() {
    server.close();
  }

  private Future<Reply> handle(Request request) {
    handled.incrementAndGet();
    return Future.succeededFuture(Reply.text(200, request.method().name()));
  }

  private void awaitLeft() throws InterruptedException {
    assertThat(left.await(60, TimeUnit.SECONDS)).isTrue();
    assertThat(departures).hasValue(1);
  }

  @Test
  void anUnguardedRouteSkipsTheGuard() {
    assertThat(server.get("/free").statusCode()).isEqualTo(200);
    assertThat(entered).hasValue(0);
    assertThat(departures).hasValue(0);
  }

  @Test
  void anAllowedRequestIsHandledAndLeavesOnce() throws InterruptedException {
    assertThat(server.get("/guarded").body()).isEqualTo("GET");
    awaitLeft();
  }

  @Test
  void aRequestRefusedAtItsHeadDoesNotLeave() {
    headVerdict = STOP;
    HttpResponse<String> answer = server.post("/guarded", "{}");
    assertThat(answer.statusCode()).isEqualTo(429);
    assertThat(answer.headers().firstValue("ratelimit")).contains("\"ip\";r=0;t=2");
    assertThat(answer.headers().firstValue("retry-after")).contains("2");
    assertThat(handled).hasValue(0);
    assertThat(departures).hasValue(0);
  }

  @Test
  void aFormThatLimitsRefuseAfterItsBodyEntersAtItsHead() throws InterruptedException {
    headVerdict = STOP;
    assertThat(server.post("/form", "text=1").statusCode()).isEqualTo(429);
    assertThat(enteredWith).hasValue(0);
    assertThat(handled).hasValue(0);
    assertThat(departures).hasValue(0);
    headVerdict = null;
    assertThat(server.post("/form", "text=1").statusCode()).isEqualTo(200);
    awaitLeft();
  }

  @Test
  void aRefusedRequestDoesNotReachTheHandler() throws InterruptedException {
    verdict = Future.succeededFuture(Optional.of(STOP));
    assertThat(server.post("/guarded", "{}").statusCode()).isEqualTo(429);
    assertThat(handled).hasValue(0);
    awaitLeft();
  }

  @Test
  void theVerdictMayCompleteLaterOnAnotherThread() throws InterruptedException {
    Promise<Optional<Reply>> later = Promise.promise();
    verdict = later.future();
    CompletableFuture<HttpResponse<String>> answer =
        CompletableFuture.supplyAsync(() -> server.post("/guarded", "{}"));
    later.complete(Optional.empty());
    assertThat(answer.orTimeout(60, TimeUnit.SECONDS).join().body()).isEqualTo("POST");
    awaitLeft();
  }

  @Test
  void aFailedGuardStopsTheRequest() throws InterruptedException {
    verdict = Future.failedFuture("broken");
    assertThat(server.get("/guarded").statusCode()).isEqualTo(500);
    assertThat(handled).hasValue(0);
    awaitLeft();
  }

  @Test
  void aRequestLeavesWhenItsHandlerFails() throws InterruptedException {
    assertThat(server.get("/broken").statusCode()).isEqualTo(500);
    awaitLeft();
  }

  @Test
  void aRequestLeavesWhenItsStreamEnds() throws InterruptedException {
    assertThat(server.get("/events").statusCode()).isEqualTo(200);
    awaitLeft();
  }
}
