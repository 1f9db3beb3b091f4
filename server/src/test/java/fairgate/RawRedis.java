package fairgate;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.BufferedInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import java.nio.channels.SocketChannel;
import java.util.StringJoiner;

/// One Redis command on a connection of its own, for tests that look at Redis from outside.
public final class RawRedis {
  private RawRedis() {}

  /// The reply as `redis-cli --raw` shows it: arrays line by line, nothing for nil, errors as text.
  ///
  /// @param uri `unix:///path`
  /// @throws UncheckedIOException when Redis cannot be reached
  public static String call(String uri, String... command) {
    StringBuilder request = new StringBuilder("*" + command.length + "\r\n");
    for (String word : command) {
      request.append('$').append(word.getBytes(UTF_8).length).append("\r\n");
      request.append(word).append("\r\n");
    }
    try (SocketChannel channel = SocketChannel.open(StandardProtocolFamily.UNIX)) {
      channel.connect(UnixDomainSocketAddress.of(uri.substring("unix://".length())));
      channel.write(ByteBuffer.wrap(request.toString().getBytes(UTF_8)));
      return reply(new BufferedInputStream(Channels.newInputStream(channel)));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static String reply(InputStream in) throws IOException {
    String head = line(in);
    String rest = head.substring(1);
    return switch (head.charAt(0)) {
      case '$' -> bulk(in, Integer.parseInt(rest));
      case '*' -> array(in, Integer.parseInt(rest));
      default -> rest;
    };
  }

  private static String bulk(InputStream in, int length) throws IOException {
    if (length < 0) {
      return "";
    }
    String text = new String(in.readNBytes(length), UTF_8);
    in.skipNBytes(2);
    return text;
  }

  private static String array(InputStream in, int length) throws IOException {
    StringJoiner lines = new StringJoiner("\n");
    for (int i = 0; i < length; i++) {
      lines.add(reply(in));
    }
    return lines.toString();
  }

  private static String line(InputStream in) throws IOException {
    StringBuilder line = new StringBuilder();
    for (int c; (c = in.read()) != '\r'; ) {
      if (c < 0) {
        throw new EOFException("Redis closed the connection");
      }
      line.append((char) c);
    }
    in.skipNBytes(1);
    return line.toString();
  }
}
