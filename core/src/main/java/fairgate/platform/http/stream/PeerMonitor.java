package fairgate.platform.http.stream;

import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelOption;
import io.netty.channel.ChannelOutboundBuffer;
import io.netty.channel.socket.ChannelInputShutdownEvent;
import io.vertx.core.http.HttpConnection;
import org.jspecify.annotations.Nullable;

/// Watches the other end of a connection: whether it has closed its half, and whether it still
/// reads.
///
/// Vert.x closes a connection as soon as the client has closed its half, even with a reply pending.
/// Its `close` waits until everything written has been sent, which never happens when the client
/// does not read.
final class PeerMonitor extends ChannelInboundHandlerAdapter {
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

  /// Whether the amount of unsent data has not changed for `timeout`, as far as earlier calls saw.
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
