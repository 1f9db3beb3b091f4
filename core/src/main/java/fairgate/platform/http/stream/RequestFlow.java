package fairgate.platform.http.stream;

import io.vertx.core.Context;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpServerRequest;
import java.time.Duration;

/// Controls the sender of a request body, on the request's event loop.
public final class RequestFlow implements RequestBodyStream.Flow {
  private final Context loop;
  private final HttpServerRequest raw;
  private boolean expectsContinue;

  private RequestFlow(Context loop, HttpServerRequest raw) {
    this.loop = loop;
    this.raw = raw;
    this.expectsContinue = expectsContinue(raw);
  }

  /// Sends `100 Continue` when the client waits for it.
  public static void sendContinue(HttpServerRequest raw) {
    if (expectsContinue(raw)) {
      raw.response().writeContinue();
    }
  }

  private static boolean expectsContinue(HttpServerRequest raw) {
    return "100-continue".equalsIgnoreCase(raw.getHeader(HttpHeaders.EXPECT));
  }

  /// The body of a request. Sends `100 Continue` only when the body is first read: a client that is
  /// refused because of its head does not have to send the body.
  public static RequestBodyStream receive(
      Context loop, HttpServerRequest raw, long limit, Duration timeout) {
    RequestBodyStream bodyStream =
        new RequestBodyStream(new RequestFlow(loop, raw), limit, timeout);
    raw.handler(bodyStream::arrived);
    raw.endHandler(_ -> bodyStream.complete());
    raw.exceptionHandler(_ -> bodyStream.abort());
    return bodyStream;
  }

  @Override
  public void begin() {
    if (expectsContinue) {
      expectsContinue = false;
      loop.runOnContext(_ -> raw.response().writeContinue());
    }
  }

  @Override
  public void pause() {
    // Called on the event loop; pausing later would let more data in.
    raw.pause();
  }

  @Override
  public void resume() {
    loop.runOnContext(_ -> raw.resume());
  }
}
