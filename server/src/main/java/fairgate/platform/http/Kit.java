package fairgate.platform.http;

import fairgate.kernel.Audit;
import fairgate.kernel.AuditEvent;
import fairgate.kernel.ErrorCode;
import fairgate.kernel.Ids;
import fairgate.kernel.ServiceUnavailable;
import fairgate.platform.http.forward.Forwarding;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Semaphore;

/// What all requests of one server share.
record Kit(
    HttpConfig config,
    Ids ids,
    Cookies.DeviceCookie devices,
    HttpMetrics metrics,
    BlockingPool blocking,
    Forwarding forwarding,
    Audit audit) {
  Kit(HttpSeams seams, HttpConfig config) {
    this(
        config,
        seams.ids(),
        new Cookies.DeviceCookie(seams.ids(), seams.keys()),
        new HttpMetrics(seams.metrics()),
        new BlockingPool(),
        new Forwarding(config.proxies()),
        seams.audit());
  }

  /// Counts a refusal, and has it remembered unless there are too many of its kind.
  void refused(Refusal refusal, Request request) {
    ErrorCode code = refusal.code();
    metrics.refused(code);
    int weight = audit.weight(AuditEvent.Kind.REFUSAL, code.name());
    if (weight == 0) {
      return;
    }
    Map<String, Object> facts = new HashMap<>();
    facts.put("route", request.method() + " " + request.route());
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

  /// Runs blocking handlers, each on a virtual thread of its own, at most 256 at once; further
  /// callers are told to come back rather than queued.
  static final class BlockingPool {
    private static final int AT_ONCE = 256;

    /// Something that may wait and may fail.
    @FunctionalInterface
    interface Task {
      void run() throws Exception;
    }

    private final Semaphore places = new Semaphore(AT_ONCE);
    private final ExecutorService threads =
        Executors.newThreadPerTaskExecutor(Thread.ofVirtual().name("http-", 0).factory());

    /// The future completes on the virtual thread.
    Future<Reply> run(BlockingHandler handler, Request request) {
      if (!places.tryAcquire()) {
        return Future.failedFuture(
            new ServiceUnavailable("all virtual threads are taken", Duration.ofSeconds(1)));
      }
      Promise<Reply> answer = Promise.promise();
      threads.execute(() -> answer(handler, request, answer));
      return answer.future();
    }

    /// Runs a task likewise.
    Future<Void> run(Task task) {
      if (!places.tryAcquire()) {
        return Future.failedFuture(
            new ServiceUnavailable("all virtual threads are taken", Duration.ofSeconds(1)));
      }
      Promise<Void> done = Promise.promise();
      threads.execute(() -> work(task, done));
      return done.future();
    }

    /// Interrupts what still runs.
    void close() {
      threads.shutdownNow();
    }

    @SuppressWarnings("CatchingUnchecked") // Whatever a task throws is told.
    private void work(Task task, Promise<Void> done) {
      try {
        task.run();
        done.complete();
      } catch (Throwable t) {
        done.fail(t);
      } finally {
        places.release();
      }
    }

    @SuppressWarnings("CatchingUnchecked") // Whatever a handler throws is answered.
    private void answer(BlockingHandler handler, Request request, Promise<Reply> answer) {
      try {
        answer.complete(handler.handle(request));
      } catch (Throwable t) {
        answer.fail(t);
      } finally {
        places.release();
      }
    }
  }
}
