package fairgate.platform.http.stream;

import fairgate.kernel.ClientAddress;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelOption;
import io.netty.channel.ChannelOutboundBuffer;
import io.netty.channel.socket.ChannelInputShutdownEvent;
import io.vertx.core.http.HttpConnection;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/// A client connection with its timeouts and its current request. Used on its event loop only.
public final class ClientConnection {
  private final HttpConnection connection;
  private final Timeouts timeouts;
  private final PeerMonitor peerMonitor = new PeerMonitor(this::onInputClosed);
  private long idleSince;
  private int running;
  private boolean served;
  private boolean closesAfterReply;
  private boolean bodyOverdue;
  private boolean inputClosed;
  private boolean closeStarted;
  private @Nullable PendingRequest current;
  private @Nullable ClientAddress peer;

  /// The timeouts of connections, in nanoseconds.
  ///
  /// @param idle for connections that have had a request
  /// @param receive for connections that have had none, or that owe the body of an answered request
  public record Timeouts(long idle, long receive) {
    public Timeouts(Duration idle, Duration receive) {
      this(idle.toNanos(), receive.toNanos());
    }

    /// The timeout of connections that must make room or are about to close.
    long shortLimit() {
      return receive / 10;
    }
  }

  @FunctionalInterface
  public interface PendingRequest {
    /// No more input comes: the client has closed its half of the connection, but may still read.
    void onInputClosed();

    /// Whether the client has yet to send the rest of the body, without which nothing runs.
    default boolean isReceiving() {
      return false;
    }
  }

  /// @param now in `System.nanoTime()`
  public ClientConnection(HttpConnection connection, Timeouts timeouts, long now) {
    this.connection = connection;
    this.timeouts = timeouts;
    this.idleSince = now;
  }

  /// Starts watching the client's half of the connection.
  public void installPeerMonitor() {
    peerMonitor.install(connection);
  }

  /// Counts a request that has begun.
  ///
  /// @param now in `System.nanoTime()`
  public void requestStarted(long now) {
    running++;
    served = true;
    bodyOverdue = false;
    idleSince = now;
  }

  /// Sets the current request, which is notified when the client closes its half.
  public void pendingRequest(PendingRequest request) {
    current = request;
  }

  public void requestEnded(long now) {
    running--;
    idleSince = now;
    if (running == 0) {
      current = null;
    }
  }

  /// The next reply closes the connection. Until then, further input is read for a short time and
  /// discarded.
  public void closeAfterReply() {
    closesAfterReply = true;
  }

  /// The current request is answered before its body has arrived. The rest, which nothing reads,
  /// has the receive timeout from now on.
  public void bodyOverdue() {
    bodyOverdue = true;
  }

  /// The body has arrived: the connection may wait for its next request.
  public void bodyArrived() {
    bodyOverdue = false;
  }

  public boolean closesAfterReply() {
    return closesAfterReply;
  }

  /// The address of the other end. It is resolved once.
  public ClientAddress peer(Forwarding forwarding) {
    ClientAddress known = peer;
    if (known == null) {
      known = forwarding.peer(connection);
      peer = known;
    }
    return known;
  }

  /// Whether the connection must be closed now; after [#close], whether the client has stopped
  /// reading.
  ///
  /// @param crowded whether connections that wait for their client must make room for new ones
  public boolean mustClose(long now, boolean crowded) {
    if (closeStarted) {
      return peerMonitor.isStalled(now, timeouts.receive());
    }
    if (running > 0 && !(crowded && isReceiving())) {
      return false;
    }
    return inputClosed || now - idleSince >= idleLimit(crowded);
  }

  private long idleLimit(boolean crowded) {
    if (closesAfterReply || crowded) {
      return timeouts.shortLimit();
    }
    return served && !bodyOverdue ? timeouts.idle() : timeouts.receive();
  }

  private boolean isReceiving() {
    return current != null && current.isReceiving();
  }

  /// Ends a request whose body is not complete, which closes the connection. False without one.
  public boolean breakOff() {
    PendingRequest request = current;
    if (request == null || !request.isReceiving()) {
      return false;
    }
    request.onInputClosed();
    return true;
  }

  /// Resets the connection: unsent data are dropped, and the client gets an error.
  public void abort() {
    closeStarted = true;
    peerMonitor.abort();
  }

  /// Closes the connection after everything written has been sent. A repeat aborts it without
  /// waiting and returns true.
  public boolean close() {
    if (closeStarted) {
      abort();
      return true;
    }
    closeStarted = true;
    var _ = connection.close();
    return false;
  }

  /// A pending request is still answered: the client may have closed only its half.
  private void onInputClosed() {
    inputClosed = true;
    PendingRequest request = current;
    if (request != null) {
      request.onInputClosed();
    } else if (running == 0) {
      boolean _ = close();
    }
  }

  /// Watches the other end of a connection: whether it has closed its half, and whether it still
  /// reads.
  ///
  /// Vert.x closes a connection as soon as the client has closed its half, even with a reply
  /// pending. Its `close` waits until everything written has been sent, which never happens when
  /// the client does not read.
  static final class PeerMonitor extends ChannelInboundHandlerAdapter {
    private static final int NO_LINGER = 0;

    private final Runnable onInputClosed;
    private @Nullable ChannelHandlerContext handlerContext;
    private long pendingBytes = -1;
    private long pendingSince;

    /// @param onInputClosed called on the event loop when the client has closed its half; it may
    ///   still read
    PeerMonitor(Runnable onInputClosed) {
      this.onInputClosed = onInputClosed;
    }

    /// Adds this handler to a connection. Must be called on its event loop.
    void install(HttpConnection connection) {
      VertxInternals.withChannel(
          connection,
          channel -> {
            boolean _ = channel.config().setOption(ChannelOption.ALLOW_HALF_CLOSURE, true);
            var _ = channel.pipeline().addFirst(this);
          });
    }

    @Override
    public void handlerAdded(ChannelHandlerContext ctx) {
      handlerContext = ctx;
    }

    @Override
    public void userEventTriggered(ChannelHandlerContext ctx, Object event) throws Exception {
      // The decoder runs first, because it reports a truncated head, which is answered too.
      super.userEventTriggered(ctx, event);
      if (event == ChannelInputShutdownEvent.INSTANCE) {
        onInputClosed.run();
      }
    }

    /// Whether the amount of unsent data has not changed for `timeout`, as far as earlier calls
    /// saw.
    ///
    /// @param now in `System.nanoTime()`, like the timeout in nanoseconds
    boolean isStalled(long now, long timeout) {
      ChannelHandlerContext ctx = handlerContext;
      if (ctx == null) {
        return false;
      }
      ChannelOutboundBuffer unsent = ctx.channel().unsafe().outboundBuffer();
      long bytes = unsent == null ? 0 : unsent.totalPendingWriteBytes();
      if (bytes != pendingBytes) {
        pendingBytes = bytes;
        pendingSince = now;
      }
      return now - pendingSince >= timeout;
    }

    /// Closes the connection immediately and discards unsent data.
    void abort() {
      ChannelHandlerContext ctx = handlerContext;
      // The client may have closed the connection meanwhile; a closed one takes no option.
      if (ctx != null && ctx.channel().isOpen()) {
        // Otherwise the kernel keeps unsent data for minutes.
        boolean _ = ctx.channel().config().setOption(ChannelOption.SO_LINGER, NO_LINGER);
        // Closing from this handler's context bypasses the `close` of Vert.x.
        var _ = ctx.close();
      }
    }
  }
}
