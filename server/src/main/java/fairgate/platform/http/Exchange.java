package fairgate.platform.http;

import fairgate.kernel.ErrorCode;
import fairgate.platform.http.stream.Gathered;
import fairgate.platform.http.stream.Inflow;
import fairgate.platform.http.stream.Link;
import fairgate.platform.http.stream.Outflow;
import fairgate.platform.http.stream.RequestFlow;
import io.vertx.core.AsyncResult;
import io.vertx.core.Future;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.HttpServerResponse;
import java.io.IOException;
import java.time.Duration;
import java.util.Objects;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// One request from its head to the end of its answer. Lives on its connection's event loop; only
/// [#handle] may be called from elsewhere.
final class Exchange implements io.vertx.core.Handler<AsyncResult<Reply>>, Link.Asked {
  private static final Logger LOG = LoggerFactory.getLogger(Exchange.class);
  private static final Duration SOON = Duration.ofSeconds(1);

  private final EventLoop loop;
  private final HttpServerRequest raw;
  private final Request request;
  private final Link link;
  private final long start;
  private HttpMetrics.RouteMeter meter;
  private Endpoints.@Nullable Endpoint endpoint;
  private Endpoints.@Nullable Passage passage;
  private @Nullable Inflow inflow;
  private boolean receiving;
  private boolean done;

  /// The loop's list of exchanges that wait for something.
  @Nullable Exchange before;

  @Nullable Exchange after;
  boolean waiting;
  long deadline;

  Exchange(EventLoop loop, HttpServerRequest raw, Request request, Link link, long start) {
    this.loop = loop;
    this.raw = raw;
    this.request = request;
    this.link = link;
    this.start = start;
    this.meter = loop.kit().metrics().unrouted();
  }

  /// Receives the body, if one is to come, and has the endpoint answer.
  void begin(Endpoints.Endpoint target) {
    endpoint = target;
    meter = target.meter();
    request.route(target.route().path());
    if (target.watch() != null) {
      passage = new Endpoints.Passage(this, target.watch(), request);
      if (!passage.enter()) {
        return;
      }
    }
    Route route = target.route();
    String length = raw.getHeader(HttpHeaders.CONTENT_LENGTH);
    boolean empty = length == null && raw.getHeader(HttpHeaders.TRANSFER_ENCODING) == null;
    if (length != null && Gathered.declared(length) > route.bodyLimit()) {
      tooLarge(route.bodyLimit());
    } else if (route.streamed()) {
      Duration patience = loop.kit().config().receiveTimeout();
      inflow = RequestFlow.receive(loop.context(), raw, route.bodyLimit(), patience);
      request.body(inflow);
      dispatch();
    } else if (empty) {
      dispatch();
    } else {
      receive(route.bodyLimit());
    }
  }

  /// Completes the exchange with what the handler's future came to; from any thread.
  @Override
  public void handle(AsyncResult<Reply> result) {
    loop.run(() -> settle(result));
  }

  /// The deadline has passed.
  void expire() {
    if (receiving) {
      brokenOff();
      return;
    }
    LOG.warn("{} {} did not answer in time", request.method(), request.path());
    refuse(Refusal.of(ErrorCode.SERVICE_UNAVAILABLE).retryAfter(SOON));
  }

  /// What came whole is answered.
  @Override
  public void saidAll() {
    if (inflow != null) {
      inflow.broken();
    }
    brokenOff();
  }

  void refuse(Refusal refusal) {
    finish(Reply.refuse(refusal));
  }

  /// Answers with what a failure means to the caller.
  void fail(Throwable failure) {
    write(ErrorBody.render(failure, request));
  }

  /// Answers a head the decoder could not take.
  void badHead() {
    write(ErrorBody.renderBadHead(raw.decoderResult().cause(), request));
  }

  /// Answers, unless that was done already.
  void finish(Reply reply) {
    if (reply.kind() == Reply.Kind.REFUSAL) {
      write(ErrorBody.render(reply, request));
    } else if (reply.kind() == Reply.Kind.EVENTS && !request.isHead()) {
      stream(reply);
    } else if (reply.kind() == Reply.Kind.STREAM && !request.isHead()) {
      send(reply);
    } else {
      write(reply);
    }
  }

  private void receive(int limit) {
    receiving = true;
    loop.await(this, start + loop.kit().config().receiveTimeout().toNanos());
    raw.exceptionHandler(_ -> brokenOff());
    Gathered body = new Gathered(limit);
    raw.handler(chunk -> take(chunk, body, limit));
    raw.endHandler(_ -> bodyComplete(body.bytes()));
    RequestFlow.goOn(raw);
  }

  private void take(Buffer chunk, Gathered body, int limit) {
    if (!done && !body.add(chunk)) {
      tooLarge(limit);
    }
  }

  private void bodyComplete(byte[] body) {
    if (done) {
      return;
    }
    receiving = false;
    loop.await(this, start + Objects.requireNonNull(endpoint).deadlineNanos());
    request.body(body);
    dispatch();
  }

  private void brokenOff() {
    if (receiving && !done) {
      done();
      loop.close(link);
    }
  }

  private void tooLarge(int limit) {
    link.closeSoon();
    fail(new InvalidRequest("", "body_too_large", limit));
  }

  private void dispatch() {
    Endpoints.Endpoint target = Objects.requireNonNull(endpoint);
    if (passage == null) {
      ask(target);
    } else {
      passage.judge(loop, start + target.deadlineNanos(), () -> ask(target));
    }
  }

  @SuppressWarnings("CatchingUnchecked") // Whatever a handler throws is answered.
  private void ask(Endpoints.Endpoint target) {
    Future<Reply> answer;
    try {
      answer = target.answer(request);
    } catch (Throwable t) {
      fail(t);
      return;
    }
    if (answer.isComplete()) {
      settle(answer);
    } else {
      loop.await(this, start + target.deadlineNanos());
      answer.onComplete(this);
    }
  }

  private void settle(AsyncResult<Reply> result) {
    if (done) {
      return;
    }
    if (result.failed()) {
      fail(result.cause());
    } else if (result.result() == null) {
      fail(new IllegalStateException("the handler gave no reply"));
    } else {
      finish(result.result());
    }
  }

  private void write(Reply reply) {
    if (done) {
      return;
    }
    if (inflow != null && inflow.abandon()) {
      link.closeSoon();
    }
    HttpServerResponse out = raw.response();
    if (!out.closed()) {
      try {
        ReplyWriter.write(out, request.isHead(), reply, request, loop.draining() || link.closing());
      } catch (RuntimeException e) {
        LOG.error("the reply to {} {} could not be sent", request.method(), request.path(), e);
        loop.close(link);
      }
    }
    done();
    meter.record(reply.status(), System.nanoTime() - start, request);
  }

  private void stream(Reply reply) {
    if (loop.draining()) {
      refuse(Refusal.of(ErrorCode.SERVICE_UNAVAILABLE).retryAfter(SOON));
      return;
    }
    if (begun(reply)) {
      Endpoints.Passage way = passage;
      Consumer<EventStream> open = reply.onOpen();
      SseStream.open(loop, raw, link, way == null ? open : way.until(open));
    }
  }

  /// Sends a body that is not held in memory.
  private void send(Reply reply) {
    if (begun(reply)) {
      HttpServerResponse out = raw.response().setChunked(true);
      loop.kit()
          .blocking()
          .run(() -> Outflow.write(loop.context(), out::write, reply.writer()))
          .onComplete(sent -> loop.run(() -> sent(sent)));
    }
  }

  private void sent(AsyncResult<Void> sent) {
    link.idle(System.nanoTime());
    if (passage != null) {
      passage.leave();
    }
    if (sent.succeeded()) {
      var _ = raw.response().end();
      return;
    }
    if (!(sent.cause() instanceof IOException)) {
      LOG.error("{} {} broke off", request.method(), request.path(), sent.cause());
    }
    // A body cut off must not pass for a whole one.
    loop.close(link);
  }

  /// Sets the head of a reply that is written by others; false when nobody is there to read it.
  private boolean begun(Reply reply) {
    if (done || raw.response().closed()) {
      done();
      return false;
    }
    done = true;
    loop.release(this);
    ReplyWriter.head(raw.response(), reply, request);
    meter.record(reply.status(), System.nanoTime() - start, request);
    return true;
  }

  boolean isDone() {
    return done;
  }

  private void done() {
    if (!done) {
      done = true;
      loop.release(this);
      link.idle(System.nanoTime());
      if (passage != null) {
        passage.leave();
      }
    }
  }
}
