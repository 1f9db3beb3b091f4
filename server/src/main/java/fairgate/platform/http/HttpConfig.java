package fairgate.platform.http;

import fairgate.platform.http.forward.Proxies;
import java.time.Duration;

/// How the web server listens, and what it bears with.
///
/// @param port 0 picks a free one
/// @param maxConnections further ones are closed at once; three quarters of the files the process
///   may open at most, which is also what 0 stands for. Of the last tenth, those without a running
///   request are closed after a tenth of the receive timeout
/// @param idleTimeout a connection without a running request is closed after so long; who has not
///   taken in its answers by then is given the receive timeout, again after each piece it takes
/// @param receiveTimeout a new connection's first head must be there after so long, and every body
///   after its head; else the connection is closed. A later head on a kept connection has the idle
///   timeout, however slowly its bytes come
/// @param heartbeat the longest silence on a stream of events; who takes nothing in for four of
///   them is given up
/// @param maxHeaderBytes the longest head of a request; the request line may take half of it
/// @param contentSecurityPolicy sent with every page
/// @param proxies who stands in front
public record HttpConfig(
    String host,
    int port,
    int maxConnections,
    Duration idleTimeout,
    Duration receiveTimeout,
    Duration heartbeat,
    int maxHeaderBytes,
    String contentSecurityPolicy,
    Proxies proxies) {
  /// Nothing from elsewhere, nothing inline, no frames around it.
  public static final String STRICT_POLICY =
      "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:;"
          + " font-src 'self'; connect-src 'self'; manifest-src 'self'; worker-src 'self';"
          + " base-uri 'none'; form-action 'self'; frame-ancestors 'none'";

  public static HttpConfig defaults() {
    return new HttpConfig(
        "127.0.0.1",
        8080,
        0,
        Duration.ofSeconds(75),
        Duration.ofSeconds(10),
        Duration.ofSeconds(15),
        16 * 1024,
        STRICT_POLICY,
        Proxies.none());
  }

  /// The same settings on another address.
  public HttpConfig at(String otherHost, int otherPort) {
    return new HttpConfig(
        otherHost,
        otherPort,
        maxConnections,
        idleTimeout,
        receiveTimeout,
        heartbeat,
        maxHeaderBytes,
        contentSecurityPolicy,
        proxies);
  }

  /// The same settings with other patience.
  public HttpConfig patience(Duration idle, Duration receive, Duration beat) {
    return new HttpConfig(
        host,
        port,
        maxConnections,
        idle,
        receive,
        beat,
        maxHeaderBytes,
        contentSecurityPolicy,
        proxies);
  }

  /// The same settings with a limit on connections.
  public HttpConfig withMaxConnections(int limit) {
    return new HttpConfig(
        host,
        port,
        limit,
        idleTimeout,
        receiveTimeout,
        heartbeat,
        maxHeaderBytes,
        contentSecurityPolicy,
        proxies);
  }

  /// The same settings with another policy for pages, say one that lets a challenge's widget in.
  public HttpConfig withContentSecurityPolicy(String policy) {
    return new HttpConfig(
        host,
        port,
        maxConnections,
        idleTimeout,
        receiveTimeout,
        heartbeat,
        maxHeaderBytes,
        policy,
        proxies);
  }

  /// The same settings behind other proxies.
  public HttpConfig behind(Proxies others) {
    return new HttpConfig(
        host,
        port,
        maxConnections,
        idleTimeout,
        receiveTimeout,
        heartbeat,
        maxHeaderBytes,
        contentSecurityPolicy,
        others);
  }
}
