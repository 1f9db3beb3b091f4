package fairgate.bench.soak;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.ThreadLocalRandom;

/// One connection that misbehaves, looked after once a second.
final class BadSocket implements AutoCloseable {
  private static final int SMALL = 4096;
  private static final int ASK_AGAIN_S = 60;

  /// Lifetime, in seconds, of a connection that the server need not close.
  private static final int PATIENCE_S = 120;

  private static final byte[] ONE = {'x'};

  private final Bad kind;
  private final SocketChannel channel = SocketChannel.open();
  private final ByteBuffer piece;
  private final long born = System.nanoTime();
  private final StringBuilder heard = new StringBuilder();

  /// Begins anywhere, so that not all ask at once.
  private int looks = ThreadLocalRandom.current().nextInt(ASK_AGAIN_S);

  /// @param first data that it sends at once
  BadSocket(Bad kind, int port, String first) throws IOException {
    this.kind = kind;
    boolean reader = kind == Bad.DEAF || kind == Bad.SLOW_READER || kind == Bad.SLOW_STREAM;
    if (reader) {
      var _ = channel.setOption(StandardSocketOptions.SO_RCVBUF, SMALL);
    }
    this.piece = ByteBuffer.allocate(reader ? 1 : SMALL);
    boolean _ = channel.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), port));
    var _ = channel.configureBlocking(false);
    int _ = channel.write(ByteBuffer.wrap(first.getBytes(StandardCharsets.US_ASCII)));
    switch (kind) {
      case HALF_CLOSED, CLOSED_FIRST -> {
        var _ = channel.shutdownOutput();
      }
      case RESET -> {
        var _ = channel.setOption(StandardSocketOptions.SO_LINGER, 0);
        channel.close();
      }
      default -> {}
    }
  }

  /// How old it is, in seconds.
  double age() {
    return (System.nanoTime() - born) / 1e9;
  }

  /// The data received so far, if it matters.
  String heard() {
    return heard.toString();
  }

  /// Whether it closes now.
  boolean goes() {
    return kind.longest() == 0 && kind != Bad.IDLE && age() > PATIENCE_S;
  }

  /// Its action of each second; false once the server has closed it.
  boolean look() {
    looks++;
    try {
      return switch (kind) {
        case SILENT, HALF_HEAD, SLOW_STREAM -> read();
        // A client that does not read to the end learns only by writing that the connection is
        // closed.
        case DRIP_HEAD, DRIP_BODY, SLOW_READER -> {
          int _ = channel.write(ByteBuffer.wrap(ONE));
          yield read();
        }
        case DEAF -> channel.write(ByteBuffer.wrap(ONE)) >= 0;
        case HALF_CLOSED, CLOSED_FIRST -> {
          boolean open = read();
          heard.append(new String(piece.array(), 0, piece.position(), StandardCharsets.US_ASCII));
          yield open;
        }
        case RESET -> false;
        case IDLE -> {
          if (looks % ASK_AGAIN_S == 0) {
            int _ =
                channel.write(ByteBuffer.wrap(kind.first().getBytes(StandardCharsets.US_ASCII)));
          }
          yield read();
        }
      };
    } catch (IOException ended) {
      return false;
    }
  }

  private boolean read() throws IOException {
    return channel.read(piece.clear()) >= 0;
  }

  @Override
  public void close() {
    try {
      channel.close();
    } catch (IOException _) {
      return;
    }
  }
}
