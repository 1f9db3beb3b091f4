package fairgate.bench;

import java.io.BufferedInputStream;
import java.io.BufferedOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.Channels;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.Semaphore;
import java.util.function.Consumer;
import java.util.function.IntFunction;

/// A minimal Redis client: writes commands to a Unix socket and reads replies. Its speed is that of
/// Redis, the reference for the server.
public final class RawRedis implements AutoCloseable {
  private final SocketChannel channel;
  private final OutputStream out;
  private final InputStream in;

  public RawRedis(Path socket) throws IOException {
    channel = SocketChannel.open(StandardProtocolFamily.UNIX);
    var _ = channel.connect(UnixDomainSocketAddress.of(socket));
    out = new BufferedOutputStream(Channels.newOutputStream(channel), 1 << 16);
    in = new BufferedInputStream(Channels.newInputStream(channel), 1 << 16);
  }

  /// One command, and its reply as text; members of a list are joined by line feeds.
  public String call(String... command) throws IOException {
    write(List.of(command));
    out.flush();
    return read();
  }

  /// One member of a section of `INFO` as a number.
  public long info(String section, String name) throws IOException {
    return Long.parseLong(infoText(section, name));
  }

  /// One member of a section of `INFO`.
  String infoText(String section, String name) throws IOException {
    for (String line : call("INFO", section).split("\r\n", -1)) {
      if (line.startsWith(name + ":")) {
        return line.substring(name.length() + 1);
      }
    }
    throw new IOException("INFO has no " + name);
  }

  /// Sends commands with at most `depth` unanswered ones, and passes each reply on in order.
  ///
  /// @return seconds from the first command to the last reply
  public double pipeline(
      int count, int depth, IntFunction<List<String>> command, Consumer<String> onReply)
      throws IOException, InterruptedException {
    Semaphore room = new Semaphore(depth);
    FutureTask<Void> reading =
        new FutureTask<>(
            () -> {
              for (int i = 0; i < count; i++) {
                onReply.accept(read());
                room.release();
              }
              return null;
            });
    Thread reader = Thread.ofPlatform().daemon().start(reading);
    long start = System.nanoTime();
    for (int i = 0; i < count; i++) {
      if (!room.tryAcquire()) {
        out.flush();
        room.acquire();
      }
      write(command.apply(i));
    }
    out.flush();
    reader.join();
    try {
      var _ = reading.get();
    } catch (ExecutionException e) {
      throw new IOException(e.getCause());
    }
    return (System.nanoTime() - start) / 1e9;
  }

  private void write(List<String> command) throws IOException {
    out.write(("*" + command.size() + "\r\n").getBytes(StandardCharsets.US_ASCII));
    for (String part : command) {
      byte[] bytes = part.getBytes(StandardCharsets.UTF_8);
      out.write(("$" + bytes.length + "\r\n").getBytes(StandardCharsets.US_ASCII));
      out.write(bytes);
      out.write('\r');
      out.write('\n');
    }
  }

  private String read() throws IOException {
    int kind = in.read();
    String head = line();
    return switch (kind) {
      case '+', ':' -> head;
      case '$' -> bulk(Integer.parseInt(head));
      case '*' -> list(Integer.parseInt(head));
      case '-' -> throw new IOException("redis: " + head);
      default -> throw new EOFException("redis hung up");
    };
  }

  private String bulk(int length) throws IOException {
    if (length < 0) {
      return "";
    }
    byte[] bytes = in.readNBytes(length);
    in.skipNBytes(2);
    return new String(bytes, StandardCharsets.UTF_8);
  }

  private String list(int size) throws IOException {
    List<String> members = new ArrayList<>();
    for (int i = 0; i < size; i++) {
      members.add(read());
    }
    return String.join("\n", members);
  }

  private String line() throws IOException {
    StringBuilder line = new StringBuilder();
    for (int c = in.read(); c != '\r'; c = in.read()) {
      if (c < 0) {
        throw new EOFException("redis hung up");
      }
      line.append((char) c);
    }
    in.skipNBytes(1);
    return line.toString();
  }

  @Override
  public void close() throws IOException {
    channel.close();
  }
}
