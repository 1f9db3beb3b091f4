package fairgate.platform.http.stream;

import fairgate.kernel.ClientAddress;
import fairgate.platform.http.forward.Forwarding;
import io.vertx.core.http.HttpConnection;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/// A connection, and what it has been doing. Touched by its event loop only.
public final class Link {
  private final HttpConnection connection;
  private final Patience patience;
  private final FarEnd farEnd = new FarEnd(this::saidAll);
  private long since;
  private int running;
  private boolean served;
  private boolean closing;
  private boolean saidAll;
  private boolean toClose;
  private @Nullable Asked current;
  private @Nullable ClientAddress peer;

  /// How long connections are borne with, in nanoseconds.
  ///
  /// @param idle those that were served
  /// @param receive those that were not yet
  public record Patience(long idle, long receive) {
    public Patience(Duration idle, Duration receive) {
      this(idle.toNanos(), receive.toNanos());
    }

    /// Those that have to make room, or are on their way out.
    long little() {
      return receive / 10;
    }
  }

  /// A request on its way.
  @FunctionalInterface
  public interface Asked {
    /// Its sender will send no more, but may still listen.
    void saidAll();
  }

  /// @param now by `System.nanoTime()`
  public Link(HttpConnection connection, Patience patience, long now) {
    this.connection = connection;
    this.patience = patience;
    this.since = now;
  }

  /// Watches over the other end.
  public void watch() {
    farEnd.watch(connection);
  }

  /// A request has come.
  public void begin() {
    running++;
    served = true;
  }

  /// What that request is answered by.
  public void answeredBy(Asked asked) {
    current = asked;
  }

  /// A request on it has ended.
  public void idle(long now) {
    running--;
    since = now;
    if (running == 0) {
      current = null;
    }
  }

  /// Its next reply is its last, and what still comes in is read for a moment and dropped.
  public void closeSoon() {
    closing = true;
  }

  public boolean closing() {
    return closing;
  }

  /// Who has its other end, read once.
  public ClientAddress peer(Forwarding forwarding) {
    ClientAddress known = peer;
    if (known == null) {
      known = forwarding.peer(connection);
      peer = known;
    }
    return known;
  }

  /// Whether it has to be closed by now; or, where that was done, whether the other end has stopped
  /// taking in what is left.
  ///
  /// @param crowded whether connections without a request have to make room
  public boolean over(long now, boolean crowded) {
    if (toClose) {
      return farEnd.stuck(now, patience.receive());
    }
    if (running > 0) {
      return false;
    }
    return saidAll || now - since >= borne(crowded);
  }

  private long borne(boolean crowded) {
    if (closing || crowded) {
      return patience.little();
    }
    return served ? patience.idle() : patience.receive();
  }

  /// Closes it once its other end has taken in what was written; a repeat does not wait for that.
  /// Whether it was cut.
  public boolean close() {
    if (toClose) {
      farEnd.cut();
      return true;
    }
    toClose = true;
    var _ = connection.close();
    return false;
  }

  /// What was asked is answered: the other end may have closed its half only.
  private void saidAll() {
    saidAll = true;
    Asked asked = current;
    if (asked != null) {
      asked.saidAll();
    } else if (running == 0) {
      boolean _ = close();
    }
  }
}
