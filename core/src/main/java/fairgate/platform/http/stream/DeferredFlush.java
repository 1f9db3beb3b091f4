package fairgate.platform.http.stream;

import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelOutboundHandlerAdapter;
import io.netty.channel.ChannelPromise;
import io.vertx.core.http.HttpConnection;
import java.util.ArrayList;
import java.util.List;

/// Flushes all replies of one event loop iteration at its end, after all incoming requests have
/// been read.
///
/// A flush wakes the reader of the reply. Flushing after each request makes the client and the
/// server alternate on a processor; flushing once lets each handle a batch. On two busy cores this
/// saves a tenth to a quarter of the time; with one request in flight at a time it changes nothing.
/// One instance for each event loop, used on its thread only.
@ChannelHandler.Sharable
public final class DeferredFlush extends ChannelOutboundHandlerAdapter {
  private List<ChannelHandlerContext> waiting = new ArrayList<>();
  private List<ChannelHandlerContext> spare = new ArrayList<>();

  /// Adds this handler to a connection. Must be called on its event loop.
  public void install(HttpConnection connection) {
    VertxInternals.withChannel(
        connection,
        channel -> {
          var _ = channel.pipeline().addFirst(this);
        });
  }

  @Override
  public void flush(ChannelHandlerContext ctx) {
    waiting.add(ctx);
    if (waiting.size() == 1) {
      // Tasks run after the reads of this iteration.
      ctx.executor().execute(this::flushAll);
    }
  }

  /// Flushes pending replies before closing, as without this handler.
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
