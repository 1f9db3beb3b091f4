package fairgate.platform.http;

import fairgate.kernel.Audit;
import fairgate.kernel.AuditEvent;
import fairgate.kernel.ErrorCode;
import fairgate.kernel.Ids;
import fairgate.kernel.ServiceUnavailable;
import fairgate.platform.http.stream.Forwarding;
import fairgate.platform.run.BlockingWork;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Semaphore;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/// The objects that all requests of a server share.
record HttpServerContext(
    HttpConfig config,
    Ids ids,
    Cookies.DeviceCookie devices,
    HttpMetrics metrics,
    BlockingPool blocking,
    Forwarding forwarding,
    Audit audit,
    BiConsumer<Request, ErrorCode> refusals,
    @Nullable Decisions decisions,
    @Nullable Traces traces,
    @Nullable ErrorPage errorPage) {
  HttpServerContext(HttpDependencies seams, HttpConfig config) {
    this(
        config,
        seams.ids(),
        new Cookies.DeviceCookie(seams.ids(), seams.keys()),
        new HttpMetrics(seams.metrics()),
        new BlockingPool(),
        new Forwarding(config.proxies()),
        seams.audit(),
        seams.refusals(),
        seams.decisions(),
        seams.traces(),
        seams.errorPage());
  }

  /// The refusal with the decision id and the address of its appeal, when people can appeal against
  /// it; otherwise as it is.
  Refusal decided(Request request, Refusal refusal, Decisions.Cause cause) {
    return decisions == null ? refusal : decisions.decide(request, refusal, cause);
  }

  /// Counts a refusal and, unless the sampler leaves it out, writes it to the audit log.
  void refused(Refusal refusal, Request request) {
    ErrorCode code = refusal.code();
    metrics.refused(code);
    refusals.accept(request, code);
    int weight =
        request.isLimited()
            ? audit.weight(AuditEvent.Kind.REFUSAL, code.name())
            : audit.weightOfUnlimited(code.name());
    if (weight == 0) {
      return;
    }
    Map<String, Object> facts = new HashMap<>();
    facts.put("route", request.method() + " " + request.route());
    Action action = request.action();
    if (action != null) {
      facts.put("action", action.toString());
    }
    facts.put("request_id", request.requestId());
    Object decision = refusal.details().get("decision_id");
    if (decision != null) {
      facts.put("decision_id", decision);
    }
    if (weight > 1) {
      facts.put("weight", weight);
    }
    audit.note(new AuditEvent(AuditEvent.Kind.REFUSAL, code.name(), request.caller(), facts));
  }

  /// Runs blocking handlers on virtual threads, at most 256 at the same time. Further calls fail
  /// with `ServiceUnavailable` instead of being queued.
  static final class BlockingPool {
    private static final int MAX_CONCURRENT = 256;

    /// A blocking task.
    @FunctionalInterface
    interface Task {
      void run() throws Exception;
    }

    private final Semaphore permits = new Semaphore(MAX_CONCURRENT);
    private final ExecutorService threads = BlockingWork.executor("http");

    /// Runs a handler. The future completes on the virtual thread.
    Future<Reply> run(Handler.Blocking handler, Request request) {
      if (!permits.tryAcquire()) {
        return Future.failedFuture(
            new ServiceUnavailable("too many concurrent blocking requests", Duration.ofSeconds(1)));
      }
      Promise<Reply> answer = Promise.promise();
      threads.execute(() -> answer(handler, request, answer));
      return answer.future();
    }

    /// Runs a task. The future completes on the virtual thread.
    Future<Void> run(Task task) {
      if (!permits.tryAcquire()) {
        return Future.failedFuture(
            new ServiceUnavailable("too many concurrent blocking requests", Duration.ofSeconds(1)));
      }
      Promise<Void> done = Promise.promise();
      threads.execute(() -> work(task, done));
      return done.future();
    }

    /// Interrupts running handlers and tasks.
    void close() {
      threads.shutdownNow();
    }

    @SuppressWarnings("CatchingUnchecked") // Every failure is passed on.
    private void work(Task task, Promise<Void> done) {
      try {
        task.run();
        done.complete();
      } catch (Throwable t) {
        done.fail(t);
      } finally {
        permits.release();
      }
    }

    @SuppressWarnings("CatchingUnchecked") // Every failure is passed on.
    private void answer(Handler.Blocking handler, Request request, Promise<Reply> answer) {
      try {
        answer.complete(handler.handle(request));
      } catch (Throwable t) {
        answer.fail(t);
      } finally {
        permits.release();
      }
    }
  }
}
