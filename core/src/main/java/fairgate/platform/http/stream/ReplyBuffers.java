package fairgate.platform.http.stream;

import io.netty.buffer.AbstractByteBufAllocator;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.channel.ChannelConfig;
import io.vertx.core.http.HttpConnection;

/// An allocator whose buffers have room for a head and a short body.
///
/// Netty's encoder copies a body behind its head when the head's buffer has room, but sizes that
/// buffer for usual heads. Without this class all but the shortest replies needed two buffers and a
/// gathering write, which costs more than one of the six microseconds of a request.
public final class ReplyBuffers extends AbstractByteBufAllocator {
  private static final int MIN_CAPACITY = 2_048;

  private final ByteBufAllocator source;

  private ReplyBuffers(ByteBufAllocator source) {
    super(true);
    this.source = source;
  }

  /// Makes a connection use this allocator.
  public static void install(HttpConnection connection) {
    VertxInternals.withChannel(
        connection,
        channel -> {
          ChannelConfig config = channel.config();
          config.setAllocator(new ReplyBuffers(config.getAllocator()));
        });
  }

  @Override
  protected ByteBuf newHeapBuffer(int capacity, int maxCapacity) {
    return source.heapBuffer(capacity, maxCapacity);
  }

  @Override
  protected ByteBuf newDirectBuffer(int capacity, int maxCapacity) {
    return source.directBuffer(
        Math.min(Math.max(capacity, MIN_CAPACITY), maxCapacity), maxCapacity);
  }

  @Override
  public boolean isDirectBufferPooled() {
    return source.isDirectBufferPooled();
  }
}
