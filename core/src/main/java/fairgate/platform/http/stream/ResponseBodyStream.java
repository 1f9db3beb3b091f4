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

/// A response body as a stream: one virtual thread writes it and blocks while the client is slower.
/// Only a few chunks are held in memory, whatever the length.
public final class ResponseBodyStream extends OutputStream {
  private static final int CHUNK_BYTES = 32 * 1024;
  private static final Duration WRITE_TIMEOUT = Duration.ofSeconds(60);

  private final Context loop;
  private final Function<Buffer, Future<Void>> out;
  private final byte[] chunk = new byte[CHUNK_BYTES];
  private int length;

  /// Writes a body.
  @FunctionalInterface
  public interface Writer {
    void writeTo(OutputStream out) throws IOException;
  }

  private ResponseBodyStream(Context loop, Function<Buffer, Future<Void>> out) {
    this.loop = loop;
    this.out = out;
  }

  /// Writes a body and returns when it has been written to the client's connection. Throws
  /// IOException when the client reads nothing for a minute.
  ///
  /// @param loop the context on which `out` is called
  /// @param out sends a chunk; its future completes when the chunk is written to the connection
  public static void write(Context loop, Function<Buffer, Future<Void>> out, Writer body)
      throws IOException {
    ResponseBodyStream stream = new ResponseBodyStream(loop, out);
    body.writeTo(stream);
    stream.flush();
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
  /// IOException when the client has disconnected or does not read.
  @Override
  public void flush() throws IOException {
    if (length == 0) {
      return;
    }
    Buffer full = Buffer.buffer(length).appendBytes(chunk, 0, length);
    length = 0;
    Promise<Void> sent = Promise.promise();
    loop.runOnContext(_ -> out.apply(full).onComplete(sent));
    try {
      Void _ =
          sent.future()
              .toCompletionStage()
              .toCompletableFuture()
              .get(WRITE_TIMEOUT.toMillis(), TimeUnit.MILLISECONDS);
    } catch (ExecutionException e) {
      throw new IOException("the client has disconnected", e.getCause());
    } catch (TimeoutException e) {
      throw new IOException("the client does not read", e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new InterruptedIOException("interrupted while writing a response body");
    }
  }
}
