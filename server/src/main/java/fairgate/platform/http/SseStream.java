package fairgate.platform.http;

import fairgate.platform.http.stream.Link;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.HttpServerResponse;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// One open response of server-sent events.
final class SseStream implements EventStream, Link.Asked {
  private static final Logger LOG = LoggerFactory.getLogger(SseStream.class);

  /// After so many heartbeats' time in which it took nothing in, a client is given up.
  private static final int STUCK_BEATS = 4;

  /// Clients sent away come back spread over so many milliseconds.
  private static final int SPREAD_MILLIS = 4000;

  private static final int SOONEST_MILLIS = 1000;
  private static final AtomicInteger OPENED = new AtomicInteger();

  private final EventLoop loop;
  private final HttpServerResponse out;
  private final Link link;
  private final int number = OPENED.incrementAndGet();
  private final List<Runnable> closers = new ArrayList<>();
  private volatile boolean closed;
  private long lastWrite = System.nanoTime();
  private long takenInSince = lastWrite;

  private SseStream(EventLoop loop, HttpServerResponse out, Link link) {
    this.loop = loop;
    this.out = out;
    this.link = link;
  }

  /// Writes the head, whose headers are set, and hands the stream over.
  static void open(EventLoop loop, HttpServerRequest raw, Link link, Consumer<EventStream> onOpen) {
    HttpServerResponse out = raw.response();
    SseStream stream = new SseStream(loop, out, link);
    loop.opened(stream);
    link.answeredBy(stream);
    out.exceptionHandler(_ -> stream.ended());
    out.closeHandler(_ -> stream.ended());
    out.setChunked(true);
    stream.write("retry: 2000\n\n");
    try {
      onOpen.accept(stream);
    } catch (RuntimeException e) {
      LOG.error("a stream of events could not be opened", e);
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
  public void comment(String text) {
    if (!closed && !out.writeQueueFull()) {
      loop.run(() -> write(": " + oneLine(text) + "\n\n"));
    }
  }

  @Override
  public void onClose(Runnable action) {
    loop.run(
        () -> {
          if (closed) {
            action.run();
          } else {
            closers.add(action);
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

  /// Whoever reads on has no reason to say that it will send no more.
  @Override
  public void saidAll() {
    loop.close(link);
  }

  /// Asks the client to come back at a moment of its own, and ends.
  void goAway() {
    int wait = SOONEST_MILLIS + Math.floorMod(number * 7919, SPREAD_MILLIS);
    write("retry: " + wait + "\n\n");
    close();
  }

  /// Keeps the stream alive, or gives it up.
  void tick(long now) {
    long beat = loop.kit().config().heartbeat().toNanos();
    if (out.writeQueueFull()) {
      if (now - takenInSince > STUCK_BEATS * beat) {
        loop.close(link);
      }
      return;
    }
    takenInSince = now;
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
    link.idle(System.nanoTime());
    for (Runnable closer : closers) {
      try {
        closer.run();
      } catch (RuntimeException e) {
        LOG.error("the end of a stream was not handled", e);
      }
    }
    closers.clear();
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
