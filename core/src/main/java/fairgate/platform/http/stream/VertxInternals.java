package fairgate.platform.http.stream;

import io.netty.channel.Channel;
import io.vertx.core.http.HttpConnection;
import io.vertx.core.net.impl.ConnectionBase;
import java.util.function.Consumer;

/// Access to the Netty channel of a connection, for what Vert.x has no settings for. With
/// `StrictDecoder`, which extends the decoder of Vert.x, the only use of internal classes of Vert.x
/// core.
final class VertxInternals {
  private VertxInternals() {}

  /// Calls `use` with the channel of a connection. Must be called on its event loop.
  static void withChannel(HttpConnection connection, Consumer<Channel> use) {
    if (connection instanceof ConnectionBase base) {
      use.accept(base.channel());
    }
  }
}
