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

/// A request body as a stream: the event loop fills it, one virtual thread reads it. The sender is
/// paused while 256 KiB are unread, so memory use does not depend on the body's length.
public final class RequestBodyStream extends InputStream {
  private static final int MAX_BUFFERED = 256 * 1024;
  private static final byte[] END = {};

  private final Flow flow;
  private final long limit;
  private final Duration timeout;
  private final BlockingQueue<byte[]> chunks = new LinkedBlockingQueue<>();
  private byte[] chunk = {};
  private int at;

  /// Guarded by this object's lock, like the fields below.
  private long received;

  private int buffered;
  private boolean paused;
  private boolean ended;
  private boolean complete;

  /// Flow control of the sender. Called from any thread.
  public interface Flow {
    /// The reader asks for the first byte.
    void begin();

    void pause();

    void resume();
  }

  /// The body is incomplete or too long.
  public static final class ReadException extends IOException {
    @Serial private static final long serialVersionUID = 1L;

    private final long limit;

    ReadException(String message, long limit) {
      super(message);
      this.limit = limit;
    }

    /// The limit in bytes when the body was too long; otherwise 0.
    public long limit() {
      return limit;
    }

    /// Whether the body exceeded the limit, rather than being ended by the sender.
    public boolean tooLong() {
      return limit > 0;
    }
  }

  /// An empty stream.
  ///
  /// @param limit the maximum length of the body in bytes
  /// @param timeout the longest time that the reader waits for the next chunk
  public RequestBodyStream(Flow flow, long limit, Duration timeout) {
    this.flow = flow;
    this.limit = limit;
    this.timeout = timeout;
  }

  /// Adds a chunk. Called on the event loop.
  public void arrived(Buffer more) {
    synchronized (this) {
      if (ended || more.length() == 0) {
        return;
      }
      received += more.length();
      buffered += more.length();
      if (buffered >= MAX_BUFFERED && !paused) {
        paused = true;
        flow.pause();
      }
    }
    chunks.add(more.getBytes());
  }

  /// The body is complete. Called on the event loop.
  public void complete() {
    close(true);
  }

  /// The body ended early. Called on the event loop.
  public void abort() {
    close(false);
  }

  /// Stops reading; further chunks are discarded. True when the body had not ended.
  public boolean abandon() {
    boolean unread;
    synchronized (this) {
      unread = !ended;
      ended = true;
      complete = false;
      paused = false;
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
      taken = chunks.poll(timeout.toMillis(), TimeUnit.MILLISECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new InterruptedIOException("interrupted while reading a request body");
    }
    if (taken == null) {
      throw new ReadException("timed out while reading the body", 0);
    }
    if (taken.length == 0) {
      // Only the end marker is empty; it stays for later reads.
      chunks.add(taken);
      atEnd();
      return false;
    }
    chunk = taken;
    at = 0;
    taken(taken.length);
    return true;
  }

  private synchronized void atEnd() throws ReadException {
    if (!complete) {
      throw new ReadException("the body ended early", 0);
    }
  }

  private void taken(int length) throws IOException {
    boolean resume = false;
    synchronized (this) {
      buffered -= length;
      if (paused && buffered < MAX_BUFFERED / 2) {
        paused = false;
        resume = true;
      }
      if (received > limit) {
        throw new ReadException("the body is too long", limit);
      }
    }
    if (resume) {
      flow.resume();
    }
  }

  private void close(boolean all) {
    synchronized (this) {
      if (ended) {
        return;
      }
      ended = true;
      complete = all;
    }
    chunks.add(END);
  }
}
