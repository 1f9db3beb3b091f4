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
/// @param proxies the trusted proxies in front of this server
/// @param defaultLanguage the language for callers without an `Accept-Language`
public record HttpConfig(
    String host,
    int port,
    int maxConnections,
    Timeouts timeouts,
    Proxies proxies,
    Language defaultLanguage) {
  /// The policy sent with every page. Forbids content of other origins, inline code and framing.
  static final String CONTENT_SECURITY_POLICY =
      "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:;"
          + " font-src 'self'; connect-src 'self'; manifest-src 'self'; worker-src 'self';"
          + " base-uri 'none'; form-action 'self'; frame-ancestors 'none'";

  /// The maximum length of a request's line, and of its header fields.
  static final int MAX_HEADER_BYTES = 16 * 1024;

  static final int MAX_TARGET_LENGTH = MAX_HEADER_BYTES / 2;

  /// The timeouts of connections.
  ///
  /// @param idle after which a connection without a running request is closed. A client that has
  ///   not read its replies by then gets the receive timeout, again after each piece that it reads
  /// @param receive for the first head of a new connection, and for a body after its head, or after
  ///   a reply that did not wait for it; then the connection is closed. Later heads have the idle
  ///   timeout, however slowly they arrive
  /// @param heartbeat the longest silence on an event stream; a client that reads nothing for four
  ///   heartbeats is disconnected
  record Timeouts(Duration idle, Duration receive, Duration heartbeat) {}

  public static HttpConfig defaults() {
    Timeouts timeouts =
        new Timeouts(Duration.ofSeconds(75), Duration.ofSeconds(10), Duration.ofSeconds(15));
    return new HttpConfig("127.0.0.1", 8080, 0, timeouts, Proxies.none(), Languages.DEFAULT);
  }

  /// The URL of the server on this port: `http://127.0.0.1:8080`.
  public String url(int actualPort) {
    return "http://" + (host.contains(":") ? "[" + host + "]" : host) + ":" + actualPort;
  }

  public HttpConfig withAddress(String otherHost, int otherPort) {
    return new HttpConfig(otherHost, otherPort, maxConnections, timeouts, proxies, defaultLanguage);
  }

  /// A copy with other timeouts, for tests.
  HttpConfig withTimeouts(Duration idle, Duration receive, Duration beat) {
    Timeouts others = new Timeouts(idle, receive, beat);
    return new HttpConfig(host, port, maxConnections, others, proxies, defaultLanguage);
  }

  public HttpConfig withMaxConnections(int limit) {
    return new HttpConfig(host, port, limit, timeouts, proxies, defaultLanguage);
  }

  public HttpConfig withProxies(Proxies others) {
    return new HttpConfig(host, port, maxConnections, timeouts, others, defaultLanguage);
  }

  public HttpConfig withDefaultLanguage(Language language) {
    return new HttpConfig(host, port, maxConnections, timeouts, proxies, language);
  }
}
