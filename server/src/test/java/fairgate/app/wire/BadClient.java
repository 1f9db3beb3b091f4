package fairgate.app.wire;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/// One connection that does what no browser would.
final class BadClient implements AutoCloseable {
  private final SocketChannel channel;
  private final ByteBuffer piece = ByteBuffer.allocate(4096);

  BadClient(int port) {
    try {
      channel = SocketChannel.open();
      boolean _ = channel.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), port));
      var _ = channel.configureBlocking(false);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /// Writes what the connection takes. A server that has closed is no error here.
  void write(String text) {
    try {
      int _ = channel.write(ByteBuffer.wrap(text.getBytes(StandardCharsets.ISO_8859_1)));
    } catch (IOException _) {
      return;
    }
  }

  /// Closes its half of the connection, and goes on listening.
  void sendsNoMore() {
    try {
      var _ = channel.shutdownOutput();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /// Breaks the connection off.
  void reset() {
    try {
      var _ = channel.setOption(StandardSocketOptions.SO_LINGER, 0);
      channel.close();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /// Whether the server has ended the connection.
  boolean ended() {
    return read() < 0;
  }

  /// Reads until the server has ended it, for ten seconds at most.
  String readAll() {
    StringBuilder all = new StringBuilder();
    long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(10);
    for (int n = read(); n >= 0; n = read()) {
      if (System.nanoTime() > deadline) {
        throw new IllegalStateException("the server did not end it: " + all);
      }
      all.append(new String(piece.array(), 0, n, StandardCharsets.ISO_8859_1));
      LockSupport.parkNanos(n == 0 ? 1_000_000 : 0);
    }
    return all.toString();
  }

  private int read() {
    try {
      return channel.read(piece.clear());
    } catch (IOException _) {
      return -1;
    }
  }

  @Override
  public String toString() {
    return channel.toString();
  }

  @Override
  public void close() {
    try {
      channel.close();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
