package fairgate.platform.http;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.nio.charset.StandardCharsets;

/// A socket for malformed requests.
final class RawClient implements AutoCloseable {
  private static final int PATIENCE_MILLIS = 60_000;

  private final Socket socket = new Socket();

  RawClient(int port) {
    this(port, "0.0.0.0");
  }

  /// @param from the client's own address
  RawClient(int port, String from) {
    try {
      socket.bind(new InetSocketAddress(from, 0));
      socket.connect(
          new InetSocketAddress(InetAddress.getLoopbackAddress(), port), PATIENCE_MILLIS);
      socket.setSoTimeout(PATIENCE_MILLIS);
      // Otherwise the second part of a request waits until the server acknowledges the first.
      socket.setTcpNoDelay(true);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /// Writes Latin-1 text as it is.
  RawClient write(String text) {
    return write(text.getBytes(StandardCharsets.ISO_8859_1));
  }

  /// Ignores that the server has closed the connection, which some tests expect.
  RawClient write(byte[] bytes) {
    try {
      socket.getOutputStream().write(bytes);
      socket.getOutputStream().flush();
    } catch (IOException _) {
      return this;
    }
    return this;
  }

  /// Closes this half of the connection; replies can still be read.
  void sendsNoMore() {
    try {
      socket.shutdownOutput();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /// Reads one head and the body of its `content-length`; empty when the server has closed.
  String readReply() {
    String head = readUntil("\r\n\r\n");
    int at = head.toLowerCase(java.util.Locale.ROOT).indexOf("content-length: ");
    if (at < 0) {
      return head;
    }
    int length = Integer.parseInt(head.substring(at + 16, head.indexOf('\r', at)));
    return head + readBytes(length);
  }

  /// Reads until the text has arrived, the server closes, or the timeout ends.
  String readUntil(String end) {
    StringBuilder read = new StringBuilder();
    try {
      InputStream in = socket.getInputStream();
      while (read.indexOf(end) < 0) {
        int b = in.read();
        if (b < 0) {
          break;
        }
        read.append((char) b);
      }
    } catch (SocketTimeoutException e) {
      throw new IllegalStateException("read only: " + read, e);
    } catch (IOException _) {
      return read.toString();
    }
    return read.toString();
  }

  /// Reads all until the server closes.
  String readAll() {
    return readUntil("\0never\0");
  }

  String readBytes(int length) {
    try {
      return new String(socket.getInputStream().readNBytes(length), StandardCharsets.UTF_8);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Override
  public void close() {
    try {
      socket.close();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
