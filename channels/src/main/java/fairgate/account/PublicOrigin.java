package fairgate.account;

import fairgate.platform.http.Request;
import java.net.URI;
import java.util.Optional;

/// The origin of the shop's pages as browsers see it, such as `https://tickets.example.com`.
///
/// It comes from the settings. Without a setting it exists on this machine only, where the `Host`
/// header names it: elsewhere a stranger could choose that header.
///
/// @param configured the configured base URL; empty for none
public record PublicOrigin(String configured) {
  /// The origin for this request; empty when the settings name none and the browser is not on this
  /// machine.
  public Optional<String> of(Request request) {
    if (!configured.isEmpty()) {
      URI uri = URI.create(configured);
      String port = uri.getPort() < 0 ? "" : ":" + uri.getPort();
      return Optional.of(uri.getScheme() + "://" + uri.getHost() + port);
    }
    String host = request.header("host");
    return host != null && SessionCookie.isPlain(request)
        ? Optional.of("http://" + host)
        : Optional.empty();
  }
}
