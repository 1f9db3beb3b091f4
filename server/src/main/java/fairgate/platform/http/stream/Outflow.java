package fairgate.platform.http.stream;

import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.buffer.Buffer;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.io.OutputStream;
import java.time.Duration;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Function;

/// A body as it goes out: written by one virtual thread, which waits whenever the client is slower.
/// No more than a few pieces are held, however long the body.
public final class Outflow extends OutputStream {
  private static final int PIECE = 32 * 1024;
  private static final Duration PATIENCE = Duration.ofSeconds(60);

  private final Context loop;
  private final Function<Buffer, Future<Void>> out;
  private final byte[] piece = new byte[PIECE];
  private int length;

  /// Writes all of a body.
  @FunctionalInterface
  public interface Writer {
    void writeTo(OutputStream out) throws IOException;
  }

  private Outflow(Context loop, Function<Buffer, Future<Void>> out) {
    this.loop = loop;
    this.out = out;
  }

  /// Has a body written and sends it; returns when the client's connection took all of it, and
  /// throws IOException when it takes nothing for a minute.
  ///
  /// @param loop where `out` is called
  /// @param out sends a piece; completes when the client's connection took it
  public static void write(Context loop, Function<Buffer, Future<Void>> out, Writer body)
      throws IOException {
    Outflow outflow = new Outflow(loop, out);
    body.writeTo(outflow);
    outflow.flush();
  }

  @Override
  public void write(int b) throws IOException {
    if (length == PIECE) {
      flush();
    }
    piece[length++] = (byte) b;
  }

  @Override
  public void write(byte[] bytes, int offset, int count) throws IOException {
    int at = offset;
    int end = offset + count;
    while (at < end) {
      if (length == PIECE) {
        flush();
      }
      int part = Math.min(end - at, PIECE - length);
      System.arraycopy(bytes, at, piece, length, part);
      length += part;
      at += part;
    }
  }

  /// Sends what was written so far and waits until it is taken. Throws IOException when the client
  /// has gone or takes nothing.
  @Override
  public void flush() throws IOException {
    if (length == 0) {
      return;
    }
    Buffer full = Buffer.buffer(length).appendBytes(piece, 0, length);
    length = 0;
    Promise<Void> sent = Promise.promise();
    loop.runOnContext(_ -> out.apply(full).onComplete(sent));
    try {
      Void _ =
          sent.future()
              .toCompletionStage()
              .toCompletableFuture()
              .get(PATIENCE.toMillis(), TimeUnit.MILLISECONDS);
    } catch (ExecutionException e) {
      throw new IOException("the client has gone", e.getCause());
    } catch (TimeoutException e) {
      throw new IOException("the client takes nothing in", e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new InterruptedIOException("interrupted while a body went out");
    }
  }
}
