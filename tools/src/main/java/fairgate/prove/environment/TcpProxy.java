package fairgate.prove.environment;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.net.StandardSocketOptions;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;

/// A TCP proxy on a loopback port that stays while its target comes and goes. It can hold the data
/// of either direction, and close a connection between a request and its reply.
public final class TcpProxy implements AutoCloseable {
  private static final int CHUNK = 1 << 16;

  private final ServerSocketChannel listener;
  private final Supplier<SocketAddress> behind;
  private final Set<Link> links = ConcurrentHashMap.newKeySet();
  private final AtomicInteger cuts = new AtomicInteger();
  private volatile Tap tap = Tap.NONE;
  private boolean holdsRequests;
  private boolean holdsReplies;
  private int held;
  private volatile boolean closed;

  /// Sees the data that passes, and may change bytes in place.
  public interface Tap {
    Tap NONE = new Tap() {};

    /// Called with data on its way to the target.
    ///
    /// @param link identifies the connection
    default void request(Object link, ByteBuffer bytes) {}

    default void reply(Object link, ByteBuffer bytes) {}
  }

  private TcpProxy(ServerSocketChannel listener, Supplier<SocketAddress> behind) {
    this.listener = listener;
    this.behind = behind;
  }

  /// Opens a proxy on a free port.
  ///
  /// @param behind the target, called for each connection
  public static TcpProxy open(Supplier<SocketAddress> behind) {
    return open(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), behind);
  }

  /// Opens it there.
  static TcpProxy open(InetSocketAddress at, Supplier<SocketAddress> behind) {
    try {
      ServerSocketChannel listener = ServerSocketChannel.open();
      listener.bind(at, 512);
      TcpProxy proxy = new TcpProxy(listener, behind);
      Thread _ = Thread.ofVirtual().name("proxy").start(proxy::accept);
      return proxy;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  public int port() {
    return listener.socket().getLocalPort();
  }

  /// `host:port`
  String address() {
    return listener.socket().getInetAddress().getHostAddress() + ":" + port();
  }

  /// Replaces the listener.
  public void tap(Tap listener) {
    tap = listener;
  }

  /// The listener that is on the proxy now.
  public Tap tap() {
    return tap;
  }

  /// Holds all data on its way to the target, until `flow`.
  public synchronized void holdRequests() {
    holdsRequests = true;
  }

  /// From now on no reply comes back, until `flow`.
  public synchronized void holdReplies() {
    holdsReplies = true;
  }

  /// Whether anything is held at this moment.
  public synchronized boolean holding() {
    return held > 0;
  }

  /// Forwards the held data and all further data.
  public synchronized void flow() {
    holdsRequests = false;
    holdsReplies = false;
    notifyAll();
  }

  /// So many of the next replies never arrive: their connections die instead.
  public void cutReplies(int count) {
    cuts.set(count);
  }

  /// How many of them are still to be cut.
  public int cutsLeft() {
    return Math.max(0, cuts.get());
  }

  /// Closes every connection; held data is lost.
  public void drop() {
    links.forEach(Link::close);
    synchronized (this) {
      notifyAll();
    }
  }

  private void accept() {
    while (!closed) {
      try {
        SocketChannel front = listener.accept();
        Thread _ = Thread.ofVirtual().name("proxy-link").start(() -> connect(front));
      } catch (IOException _) {
        return;
      }
    }
  }

  private void connect(SocketChannel front) {
    try {
      SocketAddress address = behind.get();
      SocketChannel back =
          address instanceof UnixDomainSocketAddress
              ? SocketChannel.open(address)
              : SocketChannel.open();
      if (!back.isConnected()) {
        back.connect(address);
        back.setOption(StandardSocketOptions.TCP_NODELAY, true);
      }
      front.setOption(StandardSocketOptions.TCP_NODELAY, true);
      Link link = new Link(front, back);
      links.add(link);
      Thread _ = Thread.ofVirtual().name("proxy-requests").start(() -> link.pump(true));
      link.pump(false);
    } catch (IOException | IllegalStateException _) {
      close(front);
    }
  }

  private static void close(SocketChannel channel) {
    try {
      channel.close();
    } catch (IOException _) {
      // It is gone either way.
    }
  }

  @Override
  public void close() {
    closed = true;
    try {
      listener.close();
    } catch (IOException _) {
      // It is gone either way.
    }
    drop();
  }

  private final class Link {
    private final SocketChannel front;
    private final SocketChannel back;
    private volatile boolean over;

    Link(SocketChannel front, SocketChannel back) {
      this.front = front;
      this.back = back;
    }

    void pump(boolean requests) {
      SocketChannel from = requests ? front : back;
      SocketChannel to = requests ? back : front;
      ByteBuffer bytes = ByteBuffer.allocate(CHUNK);
      try {
        while (from.read(bytes) >= 0) {
          bytes.flip();
          if (requests) {
            tap.request(this, bytes.duplicate());
          } else {
            tap.reply(this, bytes.duplicate());
          }
          awaitFlow(requests);
          if (over || (!requests && cuts.get() > 0 && cuts.getAndDecrement() > 0)) {
            break;
          }
          while (bytes.hasRemaining()) {
            to.write(bytes);
          }
          bytes.clear();
        }
      } catch (IOException _) {
        // One side died; so does the other.
      } catch (InterruptedException _) {
        Thread.currentThread().interrupt();
      } finally {
        close();
      }
    }

    private void awaitFlow(boolean requests) throws InterruptedException {
      synchronized (TcpProxy.this) {
        held++;
        try {
          while ((requests ? holdsRequests : holdsReplies) && !over) {
            TcpProxy.this.wait();
          }
        } finally {
          held--;
        }
      }
    }

    void close() {
      over = true;
      links.remove(this);
      TcpProxy.close(front);
      TcpProxy.close(back);
    }
  }
}
