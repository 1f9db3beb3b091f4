package fairgate.platform.http.stream;

import io.netty.buffer.AbstractByteBufAllocator;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.channel.ChannelConfig;
import io.vertx.core.http.HttpConnection;
import io.vertx.core.net.impl.ConnectionBase;

/// Gives a connection buffers with room for a head and a short body.
///
/// Netty's encoder copies a body behind its head where the head's buffer has the room, and makes
/// that buffer as large as heads usually are; so but for the shortest a reply was two buffers, and
/// a gathering write, which costs more than a microsecond of a request's six.
public final class ReplyBuffers extends AbstractByteBufAllocator {
  private static final int ROOM = 2_048;

  private final ByteBufAllocator source;

  private ReplyBuffers(ByteBufAllocator source) {
    super(true);
    this.source = source;
  }

  /// From now on the connection's buffers come with room.
  public static void give(HttpConnection connection) {
    // Vert.x has no setting for it.
    if (connection instanceof ConnectionBase base) {
      ChannelConfig config = base.channel().config();
      config.setAllocator(new ReplyBuffers(config.getAllocator()));
    }
  }

  @Override
  protected ByteBuf newHeapBuffer(int capacity, int most) {
    return source.heapBuffer(capacity, most);
  }

  @Override
  protected ByteBuf newDirectBuffer(int capacity, int most) {
    return source.directBuffer(Math.min(Math.max(capacity, ROOM), most), most);
  }

  @Override
  public boolean isDirectBufferPooled() {
    return source.isDirectBufferPooled();
  }
}
