package fairgate.testkit;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.util.StringJoiner;

/// One connection to a Redis on a port of this machine, for tests that look at it from outside.
public final class RespConnection implements AutoCloseable {
  private static final int CONNECT_MS = 2_000;
  private static final int REPLY_MS = 20_000;

  private final Socket socket;
  private final InputStream in;

  /// @throws UncheckedIOException when nobody listens there
  public RespConnection(int port) {
    this.socket = new Socket();
    try {
      socket.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), CONNECT_MS);
      socket.setSoTimeout(REPLY_MS);
      this.in = new BufferedInputStream(socket.getInputStream());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /// One command on a connection of its own.
  public static String call(int port, String... command) {
    try (RespConnection connection = new RespConnection(port)) {
      return connection.call(command);
    }
  }

  /// The reply as `redis-cli --raw` shows it: arrays line by line, nothing for nil, errors as text.
  public String call(String... command) {
    ByteArrayOutputStream request = new ByteArrayOutputStream();
    write(request, "*" + command.length + "\r\n");
    for (String word : command) {
      write(request, "$" + word.getBytes(UTF_8).length + "\r\n" + word + "\r\n");
    }
    try {
      socket.getOutputStream().write(request.toByteArray());
      return reply();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /// The next line Redis says by itself, after `MONITOR`.
  public String next() {
    try {
      return reply();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static void write(ByteArrayOutputStream request, String text) {
    request.writeBytes(text.getBytes(UTF_8));
  }

  private String reply() throws IOException {
    String head = line();
    String rest = head.substring(1);
    return switch (head.charAt(0)) {
      case '$' -> bulk(Integer.parseInt(rest));
      case '*' -> array(Integer.parseInt(rest));
      default -> rest;
    };
  }

  private String bulk(int length) throws IOException {
    if (length < 0) {
      return "";
    }
    byte[] bytes = in.readNBytes(length);
    in.skipNBytes(2);
    return new String(bytes, UTF_8);
  }

  private String array(int length) throws IOException {
    StringJoiner lines = new StringJoiner("\n");
    for (int i = 0; i < length; i++) {
      lines.add(reply());
    }
    return lines.toString();
  }

  private String line() throws IOException {
    ByteArrayOutputStream line = new ByteArrayOutputStream();
    for (int c = in.read(); c != '\n'; c = in.read()) {
      if (c < 0) {
        throw new EOFException("redis hung up");
      }
      if (c != '\r') {
        line.write(c);
      }
    }
    return line.toString(UTF_8);
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
