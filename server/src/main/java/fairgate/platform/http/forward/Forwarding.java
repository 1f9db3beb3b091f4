package fairgate.platform.http.forward;

import fairgate.kernel.AddressBlock;
import fairgate.kernel.ClientAddress;
import io.vertx.core.http.HttpConnection;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.net.SocketAddress;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// Finds out who is calling: the nearest address on the way that is not a trusted proxy's.
///
/// Read from the right, for each proxy appends whom it saw. What stands left of the first address
/// that is not trusted, or cannot be read, is what anybody may have written.
public final class Forwarding {
  private static final CharSequence FORWARDED = HttpHeaders.createOptimized("forwarded");
  private static final CharSequence X_FORWARDED_FOR =
      HttpHeaders.createOptimized("x-forwarded-for");

  private final List<AddressBlock> trusted;
  private final boolean rfc7239;
  private final boolean proxyProtocol;
  private final CharSequence header;

  public Forwarding(Proxies proxies) {
    this.trusted = proxies.trusted();
    this.rfc7239 = proxies.header() == Proxies.Header.FORWARDED;
    this.header = rfc7239 ? FORWARDED : X_FORWARDED_FOR;
    this.proxyProtocol = proxies.proxyProtocol();
  }

  /// Who has the other end of the connection; the same for all its requests. [ClientAddress#NONE]
  /// when it is gone.
  public ClientAddress peer(HttpConnection connection) {
    return address(connection.remoteAddress());
  }

  /// The address of the caller whose request came from this peer.
  public ClientAddress of(ClientAddress peer, HttpServerRequest request) {
    if (trusted.isEmpty() || !isTrusted(peer)) {
      return peer;
    }
    return behind(peer, request.headers().getAll(header));
  }

  /// Whether the connection may go on: with the PROXY protocol only a trusted proxy's may, for its
  /// first bytes were believed.
  public boolean admits(HttpConnection connection) {
    return !proxyProtocol || isTrusted(address(connection.remoteAddress(true)));
  }

  /// The caller behind a trusted proxy.
  ///
  /// @param lines the header's lines, in the order they came
  ClientAddress behind(ClientAddress proxy, List<String> lines) {
    ClientAddress nearest = proxy;
    for (int line = lines.size() - 1; line >= 0; line--) {
      String text = lines.get(line);
      int end = text.length();
      while (end >= 0) {
        int begin = rfc7239 ? ForwardedHeader.last(text, end) : text.lastIndexOf(',', end - 1) + 1;
        ClientAddress said = read(text.substring(begin, end).strip());
        if (said == null) {
          return nearest;
        }
        if (!isTrusted(said)) {
          return said;
        }
        nearest = said;
        end = begin - 1;
      }
    }
    return nearest;
  }

  private @Nullable ClientAddress read(String element) {
    String node = rfc7239 ? ForwardedHeader.caller(element) : element;
    return node == null ? null : ForwardedHeader.node(node);
  }

  private boolean isTrusted(ClientAddress address) {
    for (AddressBlock block : trusted) {
      if (block.contains(address)) {
        return true;
      }
    }
    return false;
  }

  private static ClientAddress address(@Nullable SocketAddress socket) {
    String host = socket == null ? null : socket.hostAddress();
    if (host == null) {
      return ClientAddress.NONE;
    }
    int zone = host.indexOf('%');
    ClientAddress address = ClientAddress.parse(zone < 0 ? host : host.substring(0, zone));
    return address == null ? ClientAddress.NONE : address;
  }
}
