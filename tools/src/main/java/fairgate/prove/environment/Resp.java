package fairgate.prove.environment;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.BufferedInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.net.SocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import java.nio.channels.SocketChannel;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// A connection to Redis of the proof's own, which shares nothing with the server's.
public final class Resp implements AutoCloseable {
  private final SocketChannel channel;
  private final InputStream in;

  private Resp(SocketChannel channel) {
    this.channel = channel;
    this.in = new BufferedInputStream(Channels.newInputStream(channel));
  }

  /// Connects; calls have no timeout.
  public static Resp open(SocketAddress address) throws IOException {
    return new Resp(SocketChannel.open(address));
  }

  /// One command: a String, a Long, a List of these, or null. An error is a String that begins with
  /// a minus.
  public @Nullable Object call(String... command) throws IOException {
    send(command);
    return read();
  }

  /// The same, where an error is an exception.
  public @Nullable Object value(String... command) throws IOException {
    Object reply = call(command);
    if (reply instanceof String word && word.startsWith("-")) {
      throw new IOException(word);
    }
    return reply;
  }

  /// Sends a command with a list of texts as its reply; nil becomes an empty text.
  public List<String> texts(String... command) throws IOException {
    return texts(call(command));
  }

  /// Several commands of one instant.
  public List<@Nullable Object> together(List<String[]> commands) throws IOException {
    send("MULTI");
    for (String[] command : commands) {
      send(command);
    }
    send("EXEC");
    for (int i = 0; i <= commands.size(); i++) {
      Object queued = read();
      if (queued instanceof String word && word.startsWith("-")) {
        throw new IOException(word);
      }
    }
    if (read() instanceof List<?> replies) {
      return Collections.unmodifiableList(new ArrayList<>(replies));
    }
    throw new IOException("no EXEC");
  }

  public static List<String> texts(@Nullable Object reply) throws IOException {
    if (reply instanceof List<?> list) {
      return list.stream().map(one -> one == null ? "" : String.valueOf(one)).toList();
    }
    throw new IOException("not a list: " + reply);
  }

  private void send(String... command) throws IOException {
    StringBuilder request = new StringBuilder("*" + command.length + "\r\n");
    for (String word : command) {
      request.append('$').append(word.getBytes(UTF_8).length).append("\r\n");
      request.append(word).append("\r\n");
    }
    ByteBuffer bytes = ByteBuffer.wrap(request.toString().getBytes(UTF_8));
    while (bytes.hasRemaining()) {
      channel.write(bytes);
    }
  }

  private @Nullable Object read() throws IOException {
    String head = line();
    String rest = head.substring(1);
    return switch (head.charAt(0)) {
      case '$' -> bulk(Integer.parseInt(rest));
      case '*' -> array(Integer.parseInt(rest));
      case ':' -> Long.valueOf(rest);
      case '-' -> head;
      default -> rest;
    };
  }

  private @Nullable String bulk(int length) throws IOException {
    if (length < 0) {
      return null;
    }
    byte[] bytes = in.readNBytes(length);
    in.skipNBytes(2);
    return new String(bytes, UTF_8);
  }

  private @Nullable List<@Nullable Object> array(int length) throws IOException {
    if (length < 0) {
      return null;
    }
    List<@Nullable Object> all = new ArrayList<>(length);
    for (int i = 0; i < length; i++) {
      all.add(read());
    }
    return all;
  }

  private String line() throws IOException {
    StringBuilder line = new StringBuilder();
    for (int c = in.read(); c != '\r'; c = in.read()) {
      if (c < 0) {
        throw new EOFException("Redis closed the connection");
      }
      line.append((char) c);
    }
    in.skipNBytes(1);
    return line.toString();
  }

  @Override
  public void close() {
    try {
      channel.close();
    } catch (IOException _) {
      // It is gone either way.
    }
  }
}
