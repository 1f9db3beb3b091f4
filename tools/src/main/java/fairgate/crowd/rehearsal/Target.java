package fairgate.crowd.rehearsal;

import java.net.URI;

/// The server that is rehearsed with.
///
/// @param operatorToken creates the sale and reads its counters
public record Target(String host, int port, boolean tls, String operatorToken) {
  private static final int HTTP = 80;
  private static final int HTTPS = 443;

  /// The server at a URL such as `https://staging.example`. Throws IllegalArgumentException, with
  /// an explanation, for anything else.
  public static Target of(String url, String operatorToken) {
    URI uri = URI.create(url);
    boolean tls = "https".equals(uri.getScheme());
    if (uri.getHost() == null || !(tls || "http".equals(uri.getScheme()))) {
      throw new IllegalArgumentException("not an address of a server: " + url);
    }
    int port = uri.getPort() >= 0 ? uri.getPort() : tls ? HTTPS : HTTP;
    return new Target(uri.getHost(), port, tls, operatorToken);
  }

  @Override
  public String toString() {
    return (tls ? "https://" : "http://") + host + ":" + port;
  }
}
