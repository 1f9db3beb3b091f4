package fairgate.platform.http.stream;

import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelOutboundHandlerAdapter;
import io.netty.channel.ChannelPromise;
import io.vertx.core.http.HttpConnection;
import io.vertx.core.net.impl.ConnectionBase;
import java.util.ArrayList;
import java.util.List;

/// Sends what one turn of an event loop has written at the end of the turn, after all that had come
/// in was read.
///
/// Sending wakes whoever waits for the reply. Done after each request, reader and server take turns
/// on a processor; done after all, each works through a heap. On two busy cores that is a tenth to
/// a quarter of the speed; where one request is under way at a time it changes nothing. One for
/// each event loop, and touched by its thread only.
@ChannelHandler.Sharable
public final class LateFlush extends ChannelOutboundHandlerAdapter {
  private List<ChannelHandlerContext> waiting = new ArrayList<>();
  private List<ChannelHandlerContext> spare = new ArrayList<>();

  /// Has the connection take part; to be called on its event loop.
  public void join(HttpConnection connection) {
    // Vert.x has no setting for it.
    if (connection instanceof ConnectionBase base) {
      var _ = base.channel().pipeline().addFirst(this);
    }
  }

  @Override
  public void flush(ChannelHandlerContext ctx) {
    waiting.add(ctx);
    if (waiting.size() == 1) {
      // Tasks run when the turn's reading is done.
      ctx.executor().execute(this::flushAll);
    }
  }

  /// What was written before is sent first, as it would have been.
  @Override
  public void close(ChannelHandlerContext ctx, ChannelPromise promise) {
    var _ = ctx.flush().close(promise);
  }

  private void flushAll() {
    List<ChannelHandlerContext> all = waiting;
    waiting = spare;
    spare = all;
    for (ChannelHandlerContext ctx : all) {
      var _ = ctx.flush();
    }
    all.clear();
  }
}
