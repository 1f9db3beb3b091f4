package fairgate.platform.http.stream;

import fairgate.kernel.AddressBlock;
import fairgate.kernel.ClientAddress;
import io.vertx.core.http.HttpConnection;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.net.HostAndPort;
import io.vertx.core.net.SocketAddress;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/// Determines the client's address: the nearest address in the chain of proxies that is not a
/// trusted proxy.
///
/// The chain is read from the right, because each proxy appends the address it saw. Anything left
/// of the first address that is untrusted or invalid may be forged.
public final class Forwarding {
  private static final CharSequence FORWARDED = HttpHeaders.createOptimized("forwarded");
  private static final CharSequence X_FORWARDED_FOR =
      HttpHeaders.createOptimized("x-forwarded-for");

  private static final CharSequence X_FORWARDED_PROTO =
      HttpHeaders.createOptimized("x-forwarded-proto");

  /// Headers that proxies and content delivery networks add, besides `X-Forwarded-...`.
  private static final Set<String> PROXY_HEADERS =
      Set.of(
          "forwarded",
          "via",
          "x-real-ip",
          "x-client-ip",
          "x-cluster-client-ip",
          "true-client-ip",
          "cf-connecting-ip",
          "fastly-client-ip",
          "x-envoy-external-address",
          "x-proxyuser-ip");

  private static final List<AddressBlock> LOOPBACK =
      Stream.of("127.0.0.0/8", "::1")
          .map(block -> Objects.requireNonNull(AddressBlock.parse(block)))
          .toList();

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

  /// The address of the connection's other end, the same for all its requests; [ClientAddress#NONE]
  /// when it is closed.
  public ClientAddress peer(HttpConnection connection) {
    return address(connection.remoteAddress());
  }

  /// The address of the client whose request arrived from this peer.
  public ClientAddress of(ClientAddress peer, HttpServerRequest request) {
    if (!isTrustedProxy(peer)) {
      return peer;
    }
    return behind(peer, request.headers().getAll(header));
  }

  /// Whether the peer is a trusted proxy, whose headers about its clients are believed. With the
  /// PROXY protocol the peer is the client, which is none.
  public boolean isTrustedProxy(ClientAddress peer) {
    return !trusted.isEmpty() && isTrusted(peer);
  }

  /// Whether a trusted proxy sent the request. With the PROXY protocol the peer is the client, and
  /// every connection comes from a proxy.
  public boolean isFromProxy(ClientAddress peer) {
    return !trusted.isEmpty() && (proxyProtocol || isTrusted(peer));
  }

  /// Whether the trusted proxy at the other end received the request over https. Headers of other
  /// peers are ignored.
  public boolean isSecure(ClientAddress peer, HttpServerRequest request) {
    if (!isFromProxy(peer)) {
      return false;
    }
    List<String> lines = request.headers().getAll(rfc7239 ? FORWARDED : X_FORWARDED_PROTO);
    if (lines.isEmpty()) {
      return false;
    }
    String line = lines.getLast();
    int begin = rfc7239 ? ForwardedHeader.last(line, line.length()) : line.lastIndexOf(',') + 1;
    String last = line.substring(begin).strip();
    return "https".equalsIgnoreCase(rfc7239 ? ForwardedHeader.scheme(last) : last);
  }

  /// Whether a program on this machine sent the request directly: from a loopback address, to a
  /// loopback name, and without headers of a proxy. Always false when trusted proxies are
  /// configured. A local proxy that is not configured and adds no header cannot be distinguished
  /// from a local program.
  public boolean isLocal(HttpServerRequest request) {
    if (!trusted.isEmpty() || proxyProtocol) {
      return false;
    }
    for (String name : request.headers().names()) {
      String lower = name.toLowerCase(Locale.ROOT);
      if (lower.startsWith("x-forwarded") || PROXY_HEADERS.contains(lower)) {
        return false;
      }
    }
    HostAndPort host = request.authority();
    return isLoopback(peer(request.connection()))
        && host != null
        && isLoopbackName(host.host().toLowerCase(Locale.ROOT));
  }

  private static boolean isLoopbackName(String host) {
    ClientAddress address = ClientAddress.parse(host.replace("[", "").replace("]", ""));
    return host.equals("localhost") || (address != null && isLoopback(address));
  }

  private static boolean isLoopback(ClientAddress address) {
    return LOOPBACK.stream().anyMatch(block -> block.contains(address));
  }

  /// Whether the connection is accepted. With the PROXY protocol only connections of trusted
  /// proxies are, because their PROXY header has been trusted.
  public boolean admits(HttpConnection connection) {
    return !proxyProtocol || isTrusted(address(connection.remoteAddress(true)));
  }

  /// The client behind a trusted proxy.
  ///
  /// @param lines the values of the header in their order
  ClientAddress behind(ClientAddress proxy, List<String> lines) {
    ClientAddress nearest = proxy;
    for (int line = lines.size() - 1; line >= 0; line--) {
      String text = lines.get(line);
      int end = text.length();
      while (end >= 0) {
        int begin = rfc7239 ? ForwardedHeader.last(text, end) : text.lastIndexOf(',', end - 1) + 1;
        ClientAddress address = read(text.substring(begin, end).strip());
        if (address == null) {
          return nearest;
        }
        if (!isTrusted(address)) {
          return address;
        }
        nearest = address;
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

  /// The trusted proxies in front of this server.
  ///
  /// @param trusted the addresses of the trusted proxies
  /// @param header the one header that they write. Other headers are passed on as the client sent
  ///   them, so they are never read.
  /// @param proxyProtocol whether every connection begins with a PROXY header, version 1 or 2;
  ///   connections of untrusted peers are closed
  public record Proxies(List<AddressBlock> trusted, Header header, boolean proxyProtocol) {
    /// The header with the addresses of the chain.
    public enum Header {
      X_FORWARDED_FOR,
      /// RFC 7239.
      FORWARDED
    }

    public Proxies {
      trusted = List.copyOf(trusted);
    }

    public static Proxies none() {
      return new Proxies(List.of(), Header.X_FORWARDED_FOR, false);
    }
  }

  /// A parser of `Forwarded` (RFC 7239) and `X-Forwarded-For`.
  private static final class ForwardedHeader {
    private ForwardedHeader() {}

    /// The start of the last element of a `Forwarded` line that ends at `end`. It is searched from
    /// the right, so that an unclosed quotation mark of the client cannot hide what the proxy
    /// appended.
    static int last(String line, int end) {
      boolean quoted = false;
      for (int i = end - 1; i >= 0; i--) {
        char c = line.charAt(i);
        if (c == '"' && !isEscaped(line, i)) {
          quoted = !quoted;
        } else if (c == ',' && !quoted) {
          return i + 1;
        }
      }
      return 0;
    }

    /// The value of the only `for` parameter of an element, without quotes; null when there is none
    /// or more than one, or the element is malformed.
    static @Nullable String caller(String element) {
      return parameter(element, "for");
    }

    /// The value of the only `proto` parameter of an element; null as for [#caller].
    static @Nullable String scheme(String element) {
      return parameter(element, "proto");
    }

    private static @Nullable String parameter(String element, String name) {
      String found = null;
      int at = 0;
      while (at <= element.length()) {
        int equals = element.indexOf('=', at);
        int end = pairEnd(element, at);
        if (end < 0 || equals < 0 || equals > end) {
          return null;
        }
        if (element.substring(at, equals).strip().equalsIgnoreCase(name)) {
          if (found != null) {
            return null;
          }
          found = unquoted(element.substring(equals + 1, end).strip());
          if (found == null) {
            return null;
          }
        }
        at = end + 1;
      }
      return found;
    }

    /// An address, bare or with a port: `192.0.2.1`, `192.0.2.1:80`, `[2001:db8::1]`,
    /// `[2001:db8::1]:80`, and the bare `2001:db8::1` of `X-Forwarded-For`. Null for `unknown`, for
    /// obfuscated names and for everything else.
    static @Nullable ClientAddress node(String text) {
      if (text.startsWith("[")) {
        int close = text.indexOf(']');
        int colon = text.indexOf(':');
        boolean right = colon > 0 && colon < close && isPort(text, close + 1);
        return right ? ClientAddress.parse(text.substring(1, close)) : null;
      }
      int colon = text.indexOf(':');
      boolean port = colon > 0 && text.indexOf('.') >= 0 && text.indexOf(':', colon + 1) < 0;
      if (!port) {
        return ClientAddress.parse(text);
      }
      return isPort(text, colon) ? ClientAddress.parse(text.substring(0, colon)) : null;
    }

    /// Whether the rest is empty, or a colon and a port.
    private static boolean isPort(String text, int from) {
      if (from == text.length()) {
        return true;
      }
      String port = text.substring(from + 1);
      return text.charAt(from) == ':' && port.matches("[0-9]{1,5}|_[A-Za-z0-9._-]{1,64}");
    }

    /// The end of the pair that begins at `from`; -1 when a quotation mark is not closed.
    private static int pairEnd(String element, int from) {
      boolean quoted = false;
      for (int i = from; i < element.length(); i++) {
        char c = element.charAt(i);
        if (quoted && c == '\\') {
          i++;
        } else if (c == '"') {
          quoted = !quoted;
        } else if (c == ';' && !quoted) {
          return i;
        }
      }
      return quoted ? -1 : element.length();
    }

    private static @Nullable String unquoted(String value) {
      if (!value.startsWith("\"")) {
        return value.indexOf('"') < 0 ? value : null;
      }
      if (value.length() < 2 || !value.endsWith("\"")) {
        return null;
      }
      StringBuilder text = new StringBuilder(value.length());
      for (int i = 1; i < value.length() - 1; i++) {
        char c = value.charAt(i);
        if (c == '"') {
          return null;
        }
        if (c == '\\') {
          i++;
          if (i == value.length() - 1) {
            return null;
          }
        }
        text.append(value.charAt(i));
      }
      return text.toString();
    }

    private static boolean isEscaped(String text, int at) {
      int slashes = 0;
      while (at - slashes > 0 && text.charAt(at - slashes - 1) == '\\') {
        slashes++;
      }
      return slashes % 2 == 1;
    }
  }
}
