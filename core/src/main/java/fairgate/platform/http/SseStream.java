package fairgate.platform.http;

import fairgate.platform.http.stream.ClientConnection;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.HttpServerResponse;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// An open response with server-sent events.
final class SseStream implements EventStream, ClientConnection.PendingRequest {
  private static final Logger LOG = LoggerFactory.getLogger(SseStream.class);

  /// A client that reads nothing for this many heartbeat intervals is disconnected.
  private static final int MAX_MISSED_HEARTBEATS = 4;

  /// Clients of a stopping server reconnect spread over this many milliseconds.
  private static final int RECONNECT_SPREAD_MILLIS = 4000;

  private static final int MIN_RECONNECT_MILLIS = 1000;
  private static final AtomicInteger OPENED = new AtomicInteger();

  private final EventLoop loop;
  private final HttpServerResponse out;
  private final ClientConnection client;
  private final BooleanSupplier mayStay;
  private final int number = OPENED.incrementAndGet();
  private final List<Runnable> closeActions = new ArrayList<>();
  private volatile boolean closed;
  private long lastWrite = System.nanoTime();
  private long lastReadAt = lastWrite;

  private SseStream(
      EventLoop loop, HttpServerResponse out, ClientConnection client, BooleanSupplier mayStay) {
    this.loop = loop;
    this.out = out;
    this.client = client;
    this.mayStay = mayStay;
  }

  /// Writes the head, whose headers are set, and passes the stream to `onOpen`.
  ///
  /// @param mayStay called about twice a second; the stream ends when it returns false
  static void open(
      EventLoop loop,
      HttpServerRequest raw,
      ClientConnection client,
      BooleanSupplier mayStay,
      Consumer<EventStream> onOpen) {
    HttpServerResponse out = raw.response();
    SseStream stream = new SseStream(loop, out, client, mayStay);
    loop.opened(stream);
    client.pendingRequest(stream);
    out.exceptionHandler(_ -> stream.ended());
    out.closeHandler(_ -> stream.ended());
    out.setChunked(true);
    stream.write("retry: 2000\n\n");
    try {
      onOpen.accept(stream);
    } catch (RuntimeException e) {
      LOG.error("Could not open an event stream", e);
      stream.close();
    }
  }

  @Override
  public boolean send(String id, String event, String dataJson) {
    if (closed || out.writeQueueFull()) {
      return false;
    }
    StringBuilder text = new StringBuilder(dataJson.length() + 64);
    field(text, "id", id);
    field(text, "event", event);
    for (String line : dataJson.split("\r\n|\r|\n", -1)) {
      text.append("data: ").append(line).append('\n');
    }
    String frame = text.append('\n').toString();
    loop.run(() -> write(frame));
    return true;
  }

  @Override
  public void onClose(Runnable action) {
    loop.run(
        () -> {
          if (closed) {
            action.run();
          } else {
            closeActions.add(action);
          }
        });
  }

  @Override
  public void close() {
    loop.run(
        () -> {
          if (!closed) {
            out.end();
            ended();
          }
        });
  }

  @Override
  public boolean closed() {
    return closed;
  }

  /// A client that wants more events does not close its half of the connection.
  @Override
  public void onInputClosed() {
    loop.close(client);
  }

  /// Tells the client when to reconnect, then ends the stream.
  void goAway() {
    int wait = MIN_RECONNECT_MILLIS + Math.floorMod(number * 7919, RECONNECT_SPREAD_MILLIS);
    write("retry: " + wait + "\n\n");
    close();
  }

  /// Sends a heartbeat when one is due; ends the stream when it is no longer allowed or the client
  /// does not read.
  void tick(long now) {
    if (!mayStay.getAsBoolean()) {
      close();
      return;
    }
    long beat = loop.serverContext().config().timeouts().heartbeat().toNanos();
    if (out.writeQueueFull()) {
      if (now - lastReadAt > MAX_MISSED_HEARTBEATS * beat) {
        loop.close(client);
      }
      return;
    }
    lastReadAt = now;
    if (now - lastWrite >= beat) {
      write(":\n\n");
    }
  }

  private void write(String frame) {
    if (!closed) {
      lastWrite = System.nanoTime();
      out.write(frame);
    }
  }

  private void ended() {
    if (closed) {
      return;
    }
    closed = true;
    loop.ended(this);
    client.requestEnded(System.nanoTime());
    for (Runnable closer : closeActions) {
      try {
        closer.run();
      } catch (RuntimeException e) {
        LOG.error("The close action of an event stream failed", e);
      }
    }
    closeActions.clear();
  }

  private static void field(StringBuilder text, String name, String value) {
    if (!value.isEmpty()) {
      text.append(name).append(": ").append(oneLine(value)).append('\n');
    }
  }

  private static String oneLine(String text) {
    return text.replace('\n', ' ').replace('\r', ' ').replace('\0', ' ');
  }
}
