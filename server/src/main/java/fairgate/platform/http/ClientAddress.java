package fairgate.platform.http;

import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.net.SocketAddress;

/// Finds out who is calling. The socket's other end, for no proxy is trusted; the one place to
/// change once some are.
final class ClientAddress {
  private ClientAddress() {}

  /// The address as digits, IPv4 or IPv6 without brackets; empty when the connection is gone.
  static String of(HttpServerRequest request) {
    SocketAddress remote = request.remoteAddress();
    String host = remote == null ? null : remote.hostAddress();
    return host == null ? "" : host;
  }
}
