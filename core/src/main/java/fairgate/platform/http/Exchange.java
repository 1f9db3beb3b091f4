package fairgate.platform.http;

import fairgate.kernel.ErrorCode;
import fairgate.platform.http.stream.BodyBuffer;
import fairgate.platform.http.stream.ClientConnection;
import fairgate.platform.http.stream.RequestBodyStream;
import fairgate.platform.http.stream.RequestFlow;
import fairgate.platform.http.stream.ResponseBodyStream;
import io.vertx.core.AsyncResult;
import io.vertx.core.Future;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.HttpServerResponse;
import java.nio.channels.ClosedChannelException;
import java.time.Duration;
import java.util.Objects;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// A request and its reply, from the head to the end of the reply. Used on the connection's event
/// loop only, except [#handle].
final class Exchange
    implements io.vertx.core.Handler<AsyncResult<Reply>>, ClientConnection.PendingRequest {
  private static final Logger LOG = LoggerFactory.getLogger(Exchange.class);
  private static final Duration SOON = Duration.ofSeconds(1);
  private static final int UNSERVED = 503;

  private final EventLoop loop;
  private final HttpServerRequest raw;
  private final Request request;
  private final ClientConnection client;
  private final long start;
  private final Traces.@Nullable Span span;
  private HttpMetrics.RouteMeter meter;
  private Endpoints.@Nullable Endpoint endpoint;
  private Endpoints.@Nullable GuardedRequest guarded;
  private @Nullable RequestBodyStream bodyStream;
  private boolean receiving;

  /// Whether the request has no body, or all of it has arrived.
  private boolean bodyComplete;

  private boolean done;

  /// Whether the head of a streamed body has been written.
  private boolean streaming;

  /// Links of the event loop's list of pending exchanges.
  @Nullable Exchange before;

  @Nullable Exchange after;
  boolean waiting;
  long deadline;

  Exchange(
      EventLoop loop, HttpServerRequest raw, Request request, ClientConnection client, long start) {
    this.loop = loop;
    this.raw = raw;
    this.request = request;
    this.client = client;
    this.start = start;
    this.meter = loop.serverContext().metrics().unrouted();
    Traces traces = loop.serverContext().traces();
    this.span =
        traces == null
            ? null
            : traces.begin(raw.getHeader("traceparent"), request::isFromTrustedProxy);
  }

  /// Receives the body, if there is one, and calls the endpoint.
  void begin(Endpoints.Endpoint target) {
    endpoint = target;
    meter = target.meter();
    request.route(target.route());
    if (!isSound(target)) {
      return;
    }
    Route route = target.route();
    if (target.guard() != null) {
      guarded = new Endpoints.GuardedRequest(this, target.guard(), request);
      if (!guarded.enter()) {
        return;
      }
    }
    String length = raw.getHeader(HttpHeaders.CONTENT_LENGTH);
    boolean empty =
        length == null ? raw.getHeader(HttpHeaders.TRANSFER_ENCODING) == null : length.equals("0");
    bodyComplete = empty;
    if (route.body().ignored()) {
      if (!empty) {
        client.closeAfterReply();
      }
      dispatch();
    } else if (length != null && BodyBuffer.declaredLength(length) > route.body().limit()) {
      tooLarge(route.body().limit());
    } else if (route.body().streamed()) {
      Duration timeout = loop.serverContext().config().timeouts().receive();
      bodyStream = RequestFlow.receive(loop.context(), raw, route.body().limit(), timeout);
      request.body(bodyStream);
      dispatch();
    } else if (empty) {
      dispatch();
    } else {
      receive(route.body().limit());
    }
  }

  /// Refuses a request that names two sessions, and a change that a page of another site sent. No
  /// limit counts them: another site could use up the limits of its visitors' network. Forms of our
  /// own pages refuse requests of unknown origin as well, and answer with a page.
  private boolean isSound(Endpoints.Endpoint target) {
    try {
      var _ = request.sessionName();
    } catch (InvalidRequest conflict) {
      fail(conflict);
      return false;
    }
    if (!target.route().crossSite() && SameOrigin.isForged(request, target.route())) {
      refuse(Refusal.of(ErrorCode.FORBIDDEN));
      return false;
    }
    return true;
  }

  /// Completes the exchange with the result of the handler. May be called from any thread.
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
    LOG.warn("Request timed out; method={} path={}", request.method(), request.path());
    refuse(Refusal.of(ErrorCode.SERVICE_UNAVAILABLE).retryAfter(SOON));
  }

  /// A request that arrived completely is still answered.
  @Override
  public void onInputClosed() {
    if (bodyStream != null) {
      bodyStream.abort();
    }
    brokenOff();
  }

  @Override
  public boolean isReceiving() {
    return receiving && !done;
  }

  void refuse(Refusal refusal) {
    finish(Reply.refuse(refusal));
  }

  void fail(Throwable failure) {
    write(ErrorBody.render(failure, request));
  }

  /// Answers a request whose head could not be decoded.
  void badHead() {
    write(ErrorBody.renderBadHead(raw.decoderResult().cause(), request));
  }

  /// Answers a request whose target is too long.
  void longTarget() {
    write(ErrorBody.renderLongTarget(request));
  }

  /// Answers the request. Has no effect when it has been answered.
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
    loop.await(this, start + loop.serverContext().config().timeouts().receive().toNanos());
    raw.exceptionHandler(_ -> brokenOff());
    BodyBuffer body = new BodyBuffer(limit);
    raw.handler(chunk -> take(chunk, body, limit));
    raw.endHandler(_ -> bodyComplete(body.bytes()));
    RequestFlow.sendContinue(raw);
  }

  private void take(Buffer chunk, BodyBuffer body, int limit) {
    if (!done && !body.add(chunk)) {
      tooLarge(limit);
    }
  }

  private void bodyComplete(byte[] body) {
    if (done) {
      return;
    }
    receiving = false;
    bodyComplete = true;
    loop.await(this, start + Objects.requireNonNull(endpoint).deadlineNanos());
    request.body(body);
    dispatch();
  }

  private void brokenOff() {
    if (isReceiving()) {
      done();
      loop.close(client);
    }
  }

  private void tooLarge(int limit) {
    client.closeAfterReply();
    fail(new InvalidRequest("", "body_too_large", limit));
  }

  private void dispatch() {
    Endpoints.Endpoint target = Objects.requireNonNull(endpoint);
    if (guarded == null) {
      ask(target);
    } else {
      guarded.judge(loop, start + target.deadlineNanos(), () -> ask(target));
    }
  }

  @SuppressWarnings("CatchingUnchecked") // Every failure is answered.
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
      fail(new IllegalStateException("the handler returned no reply"));
    } else {
      finish(result.result());
    }
  }

  private void write(Reply reply) {
    if (done) {
      return;
    }
    if (bodyStream != null && bodyStream.abandon()) {
      client.closeAfterReply();
    }
    awaitUnreadBody();
    HttpServerResponse out = raw.response();
    if (!out.closed()) {
      try {
        ReplyWriter.write(
            out,
            request.isHead(),
            reply,
            request,
            loop.closesConnections() || client.closesAfterReply());
      } catch (RuntimeException e) {
        LOG.error("Could not send a reply; method={} path={}", request.method(), request.path(), e);
        loop.close(client);
      }
    }
    if (reply.status() == UNSERVED || !request.isCounted()) {
      request.unserved();
    }
    done();
    record(reply.status());
  }

  /// Bounds the time for a body that nobody reads, because its request was refused by its head.
  private void awaitUnreadBody() {
    if (!bodyComplete && !client.closesAfterReply() && !raw.isEnded()) {
      client.bodyOverdue();
      raw.endHandler(_ -> client.bodyArrived());
    }
  }

  private void stream(Reply reply) {
    if (loop.draining()) {
      refuse(Refusal.of(ErrorCode.SERVICE_UNAVAILABLE).retryAfter(SOON));
      return;
    }
    if (begun(reply)) {
      Endpoints.GuardedRequest guard = guarded;
      Consumer<EventStream> open = reply.onOpen();
      if (guard == null) {
        SseStream.open(loop, raw, client, () -> true, open);
      } else {
        SseStream.open(loop, raw, client, guard::mayStay, guard.leaveOnClose(open));
      }
    }
  }

  /// Sends a streamed body. The head is written with its first part, so a body that fails before it
  /// is answered as any other failure, and one that does not begin before the deadline is refused.
  private void send(Reply reply) {
    if (isOver()) {
      return;
    }
    Route route = Objects.requireNonNull(endpoint).route();
    loop.await(this, start + route.deadline().toNanos());
    loop.serverContext()
        .blocking()
        .run(
            () ->
                ResponseBodyStream.write(
                    loop.context(),
                    part ->
                        beginBody(reply)
                            ? raw.response().write(part)
                            : Future.failedFuture(new ClosedChannelException()),
                    ResponseBodyStream.limit(route.deadline()),
                    reply.writer()))
        .onComplete(sent -> loop.run(() -> sent(reply, sent)));
  }

  /// Writes the head of a streamed body before its first part. False when the request has got
  /// another answer meanwhile, or the connection is closed.
  private boolean beginBody(Reply reply) {
    if (!streaming && begun(reply)) {
      streaming = true;
    }
    return streaming;
  }

  private void sent(Reply reply, AsyncResult<Void> sent) {
    if (sent.failed() && !streaming) {
      if (!isOver()) {
        fail(sent.cause());
      }
      return;
    }
    if (!beginBody(reply)) {
      return;
    }
    client.requestEnded(System.nanoTime());
    if (guarded != null) {
      guarded.leave();
    }
    if (sent.succeeded()) {
      var _ = raw.response().end();
      return;
    }
    if (sent.cause() instanceof ResponseBodyStream.ClientGone gone) {
      LOG.debug("{} {}: {}", request.method(), request.path(), gone.getMessage());
    } else {
      loop.serverContext().metrics().truncated.increment();
      LOG.error(
          "A reply was cut short; method={} path={}",
          request.method(),
          request.path(),
          sent.cause());
    }
    // After an ordinary close, a client of HTTP/1.0 would take the part for the whole.
    client.abort();
  }

  /// Sets the head of an event stream or a streamed body; false when the request has been answered
  /// or the connection is closed.
  private boolean begun(Reply reply) {
    if (isOver()) {
      return false;
    }
    done = true;
    loop.release(this);
    HttpServerResponse out = raw.response();
    ReplyWriter.head(
        reply.kind() == Reply.Kind.STREAM ? out.setChunked(true) : out, reply, request);
    record(reply.status());
    return true;
  }

  private void record(int status) {
    meter.record(status, System.nanoTime() - start, request);
    if (span != null) {
      span.end(request.facts(status));
    }
  }

  /// Whether the request was answered or the connection is closed; ends it in the second case.
  private boolean isOver() {
    if (done || raw.response().closed()) {
      done();
      return true;
    }
    return false;
  }

  boolean isDone() {
    return done;
  }

  private void done() {
    if (!done) {
      done = true;
      loop.release(this);
      client.requestEnded(System.nanoTime());
      if (guarded != null) {
        guarded.leave();
      }
    }
  }
}
