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
import java.net.SocketAddress;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import java.nio.channels.SocketChannel;
import java.util.StringJoiner;

/// A connection to Redis for tests, independent of the server's own client. Replies are waited for
/// without a time limit; the end of Redis ends the wait.
public final class RespConnection implements AutoCloseable {
  private static final String UNIX = "unix://";

  private final SocketChannel channel;
  private final InputStream in;

  /// Connects to a port of this machine.
  ///
  /// @throws UncheckedIOException when nothing listens there
  public RespConnection(int port) {
    this(new InetSocketAddress(InetAddress.getLoopbackAddress(), port));
  }

  /// @throws UncheckedIOException when nothing listens there
  public RespConnection(SocketAddress address) {
    try {
      this.channel = SocketChannel.open(address);
      this.in = new BufferedInputStream(Channels.newInputStream(channel));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /// Sends one command on a new connection.
  ///
  /// @param uri `unix:///path`
  public static String call(String uri, String... command) {
    if (!uri.startsWith(UNIX)) {
      throw new IllegalArgumentException(uri);
    }
    SocketAddress address = UnixDomainSocketAddress.of(uri.substring(UNIX.length()));
    try (RespConnection connection = new RespConnection(address)) {
      return connection.send(command);
    }
  }

  /// Sends one command on a new connection to a local port.
  public static String call(int port, String... command) {
    try (RespConnection connection = new RespConnection(port)) {
      return connection.send(command);
    }
  }

  /// Sends a command and returns the reply as `redis-cli --raw` shows it: arrays line by line,
  /// nothing for nil, errors as text.
  public String send(String... command) {
    ByteArrayOutputStream request = new ByteArrayOutputStream();
    write(request, "*" + command.length + "\r\n");
    for (String word : command) {
      write(request, "$" + word.getBytes(UTF_8).length + "\r\n" + word + "\r\n");
    }
    try {
      ByteBuffer bytes = ByteBuffer.wrap(request.toByteArray());
      while (bytes.hasRemaining()) {
        int _ = channel.write(bytes);
      }
      return reply();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /// The next reply without a command, after `MONITOR`.
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
        throw new EOFException("Redis closed the connection");
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
      channel.close();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
