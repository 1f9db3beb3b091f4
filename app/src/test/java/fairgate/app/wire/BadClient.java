package fairgate.app.wire;

import fairgate.testkit.Eventually;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;

/// A connection with malformed or stalled traffic.
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

  /// Writes to the connection; ignores that the server has closed it.
  void write(String text) {
    try {
      int _ = channel.write(ByteBuffer.wrap(text.getBytes(StandardCharsets.ISO_8859_1)));
    } catch (IOException _) {
      return;
    }
  }

  /// Closes its output and keeps reading.
  void sendsNoMore() {
    try {
      var _ = channel.shutdownOutput();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /// Resets the connection.
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

  /// Reads until the server closes the connection.
  String readAll() {
    StringBuilder all = new StringBuilder();
    Eventually.await(
        "the server ends it",
        () -> {
          int n = read();
          while (n > 0) {
            all.append(new String(piece.array(), 0, n, StandardCharsets.ISO_8859_1));
            n = read();
          }
          return n < 0;
        });
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
