package fairgate.platform.http.stream;

import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.buffer.Buffer;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.io.OutputStream;
import java.io.Serial;
import java.time.Duration;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/// A response body as a stream: one virtual thread writes it and blocks while the client is slower.
/// Only a few chunks are held in memory, whatever the length.
public final class ResponseBodyStream extends OutputStream {
  private static final int CHUNK_BYTES = 32 * 1024;
  private static final Duration WRITE_TIMEOUT = Duration.ofSeconds(60);

  /// The time that a body may take at least, whatever the deadline of its route.
  private static final Duration SHORTEST_LIMIT = Duration.ofMinutes(15);

  private final Context loop;
  private final Function<Buffer, Future<Void>> out;
  private final byte[] chunk = new byte[CHUNK_BYTES];
  private final long limitNanos;
  private final long begun = System.nanoTime();
  private int length;
  private @Nullable ClientGone gone;

  /// The client has disconnected, reads nothing, or reads too slowly.
  public static final class ClientGone extends IOException {
    @Serial private static final long serialVersionUID = 1L;

    private ClientGone(String reason, @Nullable Throwable cause) {
      super(reason, cause);
    }
  }

  @FunctionalInterface
  public interface Writer {
    void writeTo(OutputStream out) throws IOException;
  }

  private ResponseBodyStream(Context loop, Function<Buffer, Future<Void>> out, Duration limit) {
    this.loop = loop;
    this.out = out;
    this.limitNanos = limit.toNanos();
  }

  /// The total time of a body: 15 minutes, or the deadline of its route if that is longer.
  public static Duration limit(Duration deadline) {
    return deadline.compareTo(SHORTEST_LIMIT) > 0 ? deadline : SHORTEST_LIMIT;
  }

  /// Writes a body and returns when it has been written to the client's connection. Throws
  /// [ClientGone] when the client has disconnected, reads nothing for a minute, or has not read the
  /// body within the limit; also when the body wraps that in an exception of its own.
  ///
  /// @param loop the context on which `out` is called
  /// @param out sends a chunk; its future completes when the chunk is written to the connection
  public static void write(
      Context loop, Function<Buffer, Future<Void>> out, Duration limit, Writer body)
      throws IOException {
    ResponseBodyStream stream = new ResponseBodyStream(loop, out, limit);
    try {
      body.writeTo(stream);
      stream.flush();
    } catch (IOException | RuntimeException e) {
      if (stream.gone != null) {
        throw stream.gone;
      }
      throw e;
    }
  }

  @Override
  public void write(int b) throws IOException {
    if (length == CHUNK_BYTES) {
      flush();
    }
    chunk[length++] = (byte) b;
  }

  @Override
  public void write(byte[] bytes, int offset, int count) throws IOException {
    int at = offset;
    int end = offset + count;
    while (at < end) {
      if (length == CHUNK_BYTES) {
        flush();
      }
      int part = Math.min(end - at, CHUNK_BYTES - length);
      System.arraycopy(bytes, at, chunk, length, part);
      length += part;
      at += part;
    }
  }

  /// Sends the bytes written so far and waits until they are written to the connection. Throws
  /// [ClientGone] like [#write], and again at each repeat.
  @Override
  public void flush() throws IOException {
    if (gone != null) {
      throw gone;
    }
    if (length == 0) {
      return;
    }
    long left = limitNanos - (System.nanoTime() - begun);
    if (left <= 0) {
      throw gone("the client has not read the body in time", null);
    }
    Buffer full = Buffer.buffer(length).appendBytes(chunk, 0, length);
    length = 0;
    Promise<Void> sent = Promise.promise();
    loop.runOnContext(_ -> send(full, sent));
    try {
      Void _ =
          sent.future()
              .toCompletionStage()
              .toCompletableFuture()
              .get(Math.min(left, WRITE_TIMEOUT.toNanos()), TimeUnit.NANOSECONDS);
    } catch (ExecutionException e) {
      throw gone("the client has disconnected", e.getCause());
    } catch (TimeoutException e) {
      throw gone("the client does not read", e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new InterruptedIOException("interrupted while writing a response body");
    }
  }

  /// A closed response throws instead of failing.
  private void send(Buffer part, Promise<Void> sent) {
    try {
      out.apply(part).onComplete(sent);
    } catch (RuntimeException e) {
      sent.fail(e);
    }
  }

  private ClientGone gone(String reason, @Nullable Throwable cause) {
    ClientGone failure = new ClientGone(reason, cause);
    gone = failure;
    return failure;
  }
}
