package fairgate.bench.waiters;

import java.io.BufferedInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.Locale;

/// One kept connection that sends GET requests, one after the other.
final class HttpSource implements AutoCloseable {
  private static final String LENGTH = "content-length:";

  private final Socket socket;
  private final InputStream in;
  private final OutputStream out;

  HttpSource(int port) throws IOException {
    socket = new Socket(InetAddress.getLoopbackAddress(), port);
    socket.setTcpNoDelay(true);
    socket.setSoTimeout(60_000);
    in = new BufferedInputStream(socket.getInputStream(), 1 << 14);
    out = socket.getOutputStream();
  }

  /// The body of a reply with status 200.
  byte[] get(String path) throws IOException {
    out.write(
        ("GET " + path + " HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n")
            .getBytes(StandardCharsets.US_ASCII));
    String status = line();
    int length = -1;
    for (String line = line(); !line.isEmpty(); line = line()) {
      String lower = line.toLowerCase(Locale.ROOT);
      if (lower.startsWith(LENGTH)) {
        length = Integer.parseInt(line.substring(LENGTH.length()).strip());
      }
    }
    if (length < 0) {
      throw new IOException("no length: " + status);
    }
    byte[] body = in.readNBytes(length);
    if (!status.contains(" 200 ")) {
      throw new IOException(path + ": " + status);
    }
    return body;
  }

  private String line() throws IOException {
    StringBuilder line = new StringBuilder();
    for (int c = in.read(); c != '\n'; c = in.read()) {
      if (c < 0) {
        throw new EOFException();
      }
      if (c != '\r') {
        line.append((char) c);
      }
    }
    return line.toString();
  }

  @Override
  public void close() throws IOException {
    socket.close();
  }
}
