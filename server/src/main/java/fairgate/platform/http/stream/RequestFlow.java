package fairgate.platform.http.stream;

import io.vertx.core.Context;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpServerRequest;
import java.time.Duration;

/// Speaks to a request's sender, on the request's own loop.
public final class RequestFlow implements Inflow.Flow {
  private final Context loop;
  private final HttpServerRequest raw;
  private boolean asks;

  private RequestFlow(Context loop, HttpServerRequest raw) {
    this.loop = loop;
    this.raw = raw;
    this.asks = asks(raw);
  }

  /// Asks for a body whose sender waits for that.
  public static void goOn(HttpServerRequest raw) {
    if (asks(raw)) {
      raw.response().writeContinue();
    }
  }

  private static boolean asks(HttpServerRequest raw) {
    return "100-continue".equalsIgnoreCase(raw.getHeader(HttpHeaders.EXPECT));
  }

  /// The request's body, of which nothing is asked for before it is read: who is refused by his
  /// head alone need not send it.
  public static Inflow receive(Context loop, HttpServerRequest raw, long limit, Duration patience) {
    Inflow inflow = new Inflow(new RequestFlow(loop, raw), limit, patience);
    raw.handler(inflow::arrived);
    raw.endHandler(_ -> inflow.complete());
    raw.exceptionHandler(_ -> inflow.broken());
    return inflow;
  }

  @Override
  public void begin() {
    if (asks) {
      asks = false;
      loop.runOnContext(_ -> raw.response().writeContinue());
    }
  }

  @Override
  public void pause() {
    // Called on the loop: anything later would let more in.
    raw.pause();
  }

  @Override
  public void resume() {
    loop.runOnContext(_ -> raw.resume());
  }
}
