package fairgate.platform.http;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.nio.charset.StandardCharsets;

/// A socket to write what no honest client would.
final class RawClient implements AutoCloseable {
  private static final int PATIENCE_MILLIS = 8000;

  private final Socket socket = new Socket();

  RawClient(int port) {
    try {
      socket.connect(
          new InetSocketAddress(InetAddress.getLoopbackAddress(), port), PATIENCE_MILLIS);
      socket.setSoTimeout(PATIENCE_MILLIS);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /// Writes Latin-1 text as it is.
  RawClient write(String text) {
    return write(text.getBytes(StandardCharsets.ISO_8859_1));
  }

  /// A server that has closed already is what some tests wait for, so that is no error here.
  RawClient write(byte[] bytes) {
    try {
      socket.getOutputStream().write(bytes);
      socket.getOutputStream().flush();
    } catch (IOException _) {
      return this;
    }
    return this;
  }

  /// Closes its half of the connection, and goes on listening.
  void sendsNoMore() {
    try {
      socket.shutdownOutput();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /// Reads one head, and the body its `content-length` announces. Empty when the server closed.
  String readReply() {
    String head = readUntil("\r\n\r\n");
    int at = head.toLowerCase(java.util.Locale.ROOT).indexOf("content-length: ");
    if (at < 0) {
      return head;
    }
    int length = Integer.parseInt(head.substring(at + 16, head.indexOf('\r', at)));
    return head + readBytes(length);
  }

  /// Reads until the text has come, the server closes, or patience ends.
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
