package fairgate.platform.http.stream;

import io.vertx.core.buffer.Buffer;
import java.io.IOException;
import java.io.InputStream;
import java.io.InterruptedIOException;
import java.io.Serial;
import java.time.Duration;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

/// A body as it arrives: filled by the event loop, read by one virtual thread. The sender is held
/// back while a quarter of a megabyte waits to be read, so a body of any length takes no more
/// memory than that.
public final class Inflow extends InputStream {
  private static final int FULL = 256 * 1024;
  private static final byte[] END = {};

  private final Flow flow;
  private final long limit;
  private final Duration patience;
  private final BlockingQueue<byte[]> chunks = new LinkedBlockingQueue<>();
  private byte[] chunk = {};
  private int at;

  /// What is guarded by this object's lock.
  private long arrived;

  private int waiting;
  private boolean held;
  private boolean over;
  private boolean whole;

  /// What the reader may ask of the sender; from any thread.
  public interface Flow {
    /// The first byte is wanted now.
    void begin();

    void pause();

    void resume();
  }

  /// The body did not arrive whole.
  public static final class BrokenOff extends IOException {
    @Serial private static final long serialVersionUID = 1L;

    private final long limit;

    BrokenOff(String message, long limit) {
      super(message);
      this.limit = limit;
    }

    /// The most bytes it might have had, where it had more; else 0.
    public long limit() {
      return limit;
    }

    /// Whether it was refused for its length, and not ended by the sender.
    public boolean tooLong() {
      return limit > 0;
    }
  }

  /// A body of which nothing is there yet.
  ///
  /// @param limit the most bytes it may have
  /// @param patience how long the sender may send nothing while the reader waits
  public Inflow(Flow flow, long limit, Duration patience) {
    this.flow = flow;
    this.limit = limit;
    this.patience = patience;
  }

  /// More of it has arrived; on the event loop.
  public void arrived(Buffer more) {
    synchronized (this) {
      if (over || more.length() == 0) {
        return;
      }
      arrived += more.length();
      waiting += more.length();
      if (waiting >= FULL && !held) {
        held = true;
        flow.pause();
      }
    }
    chunks.add(more.getBytes());
  }

  /// All of it has arrived; on the event loop.
  public void complete() {
    close(true);
  }

  /// No more will arrive; on the event loop.
  public void broken() {
    close(false);
  }

  /// Nobody reads on; what still arrives is dropped. Whether some is still to come.
  public boolean abandon() {
    boolean unread;
    synchronized (this) {
      unread = !over;
      over = true;
      whole = false;
      held = false;
    }
    chunks.clear();
    chunks.add(END);
    flow.resume();
    return unread;
  }

  @Override
  public int read() throws IOException {
    byte[] one = new byte[1];
    return read(one, 0, 1) < 0 ? -1 : one[0] & 0xff;
  }

  @Override
  public int read(byte[] into, int offset, int length) throws IOException {
    if (length == 0) {
      return 0;
    }
    if (at == chunk.length && !next()) {
      return -1;
    }
    int count = Math.min(length, chunk.length - at);
    System.arraycopy(chunk, at, into, offset, count);
    at += count;
    return count;
  }

  /// Takes the next chunk; false at the end.
  private boolean next() throws IOException {
    flow.begin();
    byte[] taken;
    try {
      taken = chunks.poll(patience.toMillis(), TimeUnit.MILLISECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new InterruptedIOException("interrupted while a body arrived");
    }
    if (taken == null) {
      throw new BrokenOff("the body stopped arriving", 0);
    }
    if (taken.length == 0) {
      // Only the mark of the end is empty; it stays for who reads again.
      chunks.add(taken);
      atEnd();
      return false;
    }
    chunk = taken;
    at = 0;
    taken(taken.length);
    return true;
  }

  private synchronized void atEnd() throws BrokenOff {
    if (!whole) {
      throw new BrokenOff("the body broke off", 0);
    }
  }

  private void taken(int length) throws IOException {
    boolean resume = false;
    synchronized (this) {
      waiting -= length;
      if (held && waiting < FULL / 2) {
        held = false;
        resume = true;
      }
      if (arrived > limit) {
        throw new BrokenOff("the body is too long", limit);
      }
    }
    if (resume) {
      flow.resume();
    }
  }

  private void close(boolean all) {
    synchronized (this) {
      if (over) {
        return;
      }
      over = true;
      whole = all;
    }
    chunks.add(END);
  }
}
