package fairgate.platform.http.stream;

import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelOption;
import io.netty.channel.ChannelOutboundBuffer;
import io.netty.channel.socket.ChannelInputShutdownEvent;
import io.vertx.core.http.HttpConnection;
import io.vertx.core.net.impl.ConnectionBase;
import org.jspecify.annotations.Nullable;

/// The other end of a connection: whether it will send more, and whether it takes anything in.
///
/// Vert.x closes a connection as soon as the other end has closed its half of it, with the answer
/// still to come; and its `close` waits for everything written before to be taken in, which who
/// reads nothing never does.
final class FarEnd extends ChannelInboundHandlerAdapter {
  private static final int AT_ONCE = 0;

  private final Runnable saidAll;
  private @Nullable ChannelHandlerContext place;
  private long left = -1;
  private long leftSince;

  /// @param saidAll run on the event loop when it has said that it will send no more; it may still
  ///   listen
  FarEnd(Runnable saidAll) {
    this.saidAll = saidAll;
  }

  /// Watches over a connection's other end; from its event loop.
  void watch(HttpConnection connection) {
    // Vert.x has no setting for it.
    if (connection instanceof ConnectionBase base) {
      boolean _ = base.channel().config().setOption(ChannelOption.ALLOW_HALF_CLOSURE, true);
      var _ = base.channel().pipeline().addFirst(this);
    }
  }

  @Override
  public void handlerAdded(ChannelHandlerContext ctx) {
    place = ctx;
  }

  @Override
  public void userEventTriggered(ChannelHandlerContext ctx, Object event) throws Exception {
    // The decoder first: what it makes of half a head is answered as well.
    super.userEventTriggered(ctx, event);
    if (event == ChannelInputShutdownEvent.INSTANCE) {
      saidAll.run();
    }
  }

  /// Whether nothing has been taken in for so long, as far as this was asked.
  ///
  /// @param now by `System.nanoTime()`, like the patience
  boolean stuck(long now, long patience) {
    ChannelHandlerContext ctx = place;
    if (ctx == null) {
      return false;
    }
    ChannelOutboundBuffer unsent = ctx.channel().unsafe().outboundBuffer();
    long bytes = unsent == null ? 0 : unsent.totalPendingWriteBytes();
    if (bytes != left) {
      left = bytes;
      leftSince = now;
    }
    return now - leftSince >= patience;
  }

  /// Ends the connection at once, and throws away what was not taken in.
  void cut() {
    ChannelHandlerContext ctx = place;
    if (ctx != null) {
      // Else the kernel keeps what is unsent for minutes.
      boolean _ = ctx.channel().config().setOption(ChannelOption.SO_LINGER, AT_ONCE);
      // Asked from this place, it is not Vert.x's `close`.
      var _ = ctx.close();
    }
  }
}
