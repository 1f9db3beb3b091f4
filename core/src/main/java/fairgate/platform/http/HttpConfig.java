package fairgate.platform.http;

import fairgate.platform.http.stream.Forwarding.Proxies;
import fairgate.platform.text.Language;
import fairgate.platform.text.Languages;
import java.time.Duration;

/// The address and the limits of the web server.
///
/// @param port 0 for any free port
/// @param maxConnections further connections are closed immediately. At most three quarters of the
///   open files that the process may have, which is also the meaning of 0. While more than nine
///   tenths are in use, connections without a running request are closed after a tenth of the
///   receive timeout
/// @param idleTimeout after which a connection without a running request is closed. A client that
///   has not read its replies by then gets the receive timeout, again after each piece that it
///   reads
/// @param receiveTimeout for the first head of a new connection, and for a body after its head, or
///   after a reply that did not wait for it; then the connection is closed. Later heads have the
///   idle timeout, however slowly they arrive
/// @param heartbeat the longest silence on an event stream; a client that reads nothing for four
///   heartbeats is disconnected
/// @param maxHeaderBytes the maximum length of a request's line, and of its header fields; the
///   target may have half of it
/// @param contentSecurityPolicy the policy sent with every page
/// @param proxies the trusted proxies in front of this server
/// @param defaultLanguage the language for callers without an `Accept-Language`
public record HttpConfig(
    String host,
    int port,
    int maxConnections,
    Duration idleTimeout,
    Duration receiveTimeout,
    Duration heartbeat,
    int maxHeaderBytes,
    String contentSecurityPolicy,
    Proxies proxies,
    Language defaultLanguage) {
  /// Forbids content of other origins, inline code and framing.
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
        Proxies.none(),
        Languages.DEFAULT);
  }

  /// The longest target of a request.
  int maxTargetLength() {
    return maxHeaderBytes / 2;
  }

  /// The URL of the server on this port: `http://127.0.0.1:8080`.
  public String url(int actualPort) {
    return "http://" + (host.contains(":") ? "[" + host + "]" : host) + ":" + actualPort;
  }

  /// A copy with another address.
  public HttpConfig withAddress(String otherHost, int otherPort) {
    return new HttpConfig(
        otherHost,
        otherPort,
        maxConnections,
        idleTimeout,
        receiveTimeout,
        heartbeat,
        maxHeaderBytes,
        contentSecurityPolicy,
        proxies,
        defaultLanguage);
  }

  /// A copy with other timeouts.
  public HttpConfig withTimeouts(Duration idle, Duration receive, Duration beat) {
    return new HttpConfig(
        host,
        port,
        maxConnections,
        idle,
        receive,
        beat,
        maxHeaderBytes,
        contentSecurityPolicy,
        proxies,
        defaultLanguage);
  }

  /// A copy with another limit of connections.
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
        proxies,
        defaultLanguage);
  }

  /// A copy with another policy for pages, such as one that allows a challenge widget.
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
        proxies,
        defaultLanguage);
  }

  /// A copy with other trusted proxies.
  public HttpConfig withProxies(Proxies others) {
    return new HttpConfig(
        host,
        port,
        maxConnections,
        idleTimeout,
        receiveTimeout,
        heartbeat,
        maxHeaderBytes,
        contentSecurityPolicy,
        others,
        defaultLanguage);
  }

  /// A copy with another default language.
  public HttpConfig withDefaultLanguage(Language language) {
    return new HttpConfig(
        host,
        port,
        maxConnections,
        idleTimeout,
        receiveTimeout,
        heartbeat,
        maxHeaderBytes,
        contentSecurityPolicy,
        proxies,
        language);
  }
}
