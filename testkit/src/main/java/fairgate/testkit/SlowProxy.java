package fairgate.testkit;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;

/// A TCP proxy that delays all replies by the same time, without blocking later ones. It can also
/// discard all data, like a network that drops packets. Listens on a free port of the loopback.
public final class SlowProxy implements AutoCloseable {
  private static final int CHUNK = 64 * 1024;

  private final SocketAddress target;
  private final ServerSocketChannel door;
  private final List<SocketChannel> open = new CopyOnWriteArrayList<>();
  private final List<AtomicBoolean> holes = new CopyOnWriteArrayList<>();
  private volatile Duration delay = Duration.ZERO;
  private volatile boolean swallowing;

  /// @param target the socket file of the server behind it
  public SlowProxy(Path target) {
    this(UnixDomainSocketAddress.of(target));
  }

  /// @param target the address of the server behind it
  public SlowProxy(SocketAddress target) {
    this.target = target;
    try {
      this.door =
          ServerSocketChannel.open()
              .bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    var _ = Thread.ofVirtual().start(this::accept);
  }

  /// Where it listens.
  public int port() {
    return door.socket().getLocalPort();
  }

  /// Delays all further replies by this time.
  public void delay(Duration time) {
    delay = time;
  }

  /// Discards all further data, in both directions; the present connections never recover.
  public void swallow() {
    swallowing = true;
    holes.forEach(hole -> hole.set(true));
  }

  /// Connections that come from now on are served again.
  public void serve() {
    swallowing = false;
  }

  private void accept() {
    while (door.isOpen()) {
      try {
        SocketChannel client = door.accept();
        SocketChannel server =
            target instanceof UnixDomainSocketAddress
                ? SocketChannel.open(StandardProtocolFamily.UNIX)
                : SocketChannel.open();
        open.add(client);
        open.add(server);
        boolean _ = server.connect(target);
        AtomicBoolean hole = new AtomicBoolean();
        holes.add(hole);
        // After it was added: `swallow` may have run in between.
        hole.set(swallowing);
        pass(client, server, false, hole);
        pass(server, client, true, hole);
      } catch (IOException _) {
        // Closed, by this side or the other.
      }
    }
  }

  /// Data, and the time at which it is forwarded.
  private record Chunk(ByteBuffer bytes, long at) {}

  private void pass(SocketChannel from, SocketChannel to, boolean late, AtomicBoolean hole) {
    BlockingQueue<Chunk> said = new LinkedBlockingQueue<>();
    var _ = Thread.ofVirtual().start(() -> read(from, to, late, hole, said));
    var _ = Thread.ofVirtual().start(() -> write(to, said));
  }

  private void read(
      SocketChannel from,
      SocketChannel to,
      boolean late,
      AtomicBoolean hole,
      BlockingQueue<Chunk> said) {
    try {
      while (true) {
        ByteBuffer bytes = ByteBuffer.allocate(CHUNK);
        if (from.read(bytes) < 0) {
          break;
        }
        if (hole.get()) {
          continue;
        }
        said.add(new Chunk(bytes.flip(), System.nanoTime() + (late ? delay.toNanos() : 0)));
      }
    } catch (IOException _) {
      // The connection is gone, and so is the other half.
    }
    shut(from);
    shut(to);
  }

  private static void write(SocketChannel to, BlockingQueue<Chunk> said) {
    try {
      while (to.isOpen()) {
        Chunk chunk = said.take();
        for (long rest = chunk.at() - System.nanoTime();
            rest > 0;
            rest = chunk.at() - System.nanoTime()) {
          LockSupport.parkNanos(rest);
        }
        while (chunk.bytes().hasRemaining()) {
          int _ = to.write(chunk.bytes());
        }
      }
    } catch (IOException e) {
      shut(to);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private static void shut(SocketChannel channel) {
    try {
      channel.close();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /// Closes the door and every connection.
  @Override
  public void close() {
    try {
      door.close();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    open.forEach(SlowProxy::shut);
  }
}
