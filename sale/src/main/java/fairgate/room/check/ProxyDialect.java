package fairgate.room.check;

import java.util.Locale;
import java.util.Optional;

/// The proxies that ask `/gate/check`, by the answers that they understand.
enum ProxyDialect {
  /// `auth_request`: 204, or 401 with all else in headers, because nginx drops the body and takes
  /// other statuses for errors.
  NGINX,
  /// `forward_auth`: 2xx, or the answer for the client.
  CADDY,
  /// `ForwardAuth`: 2xx, or the answer for the client.
  TRAEFIK,
  /// `ext_authz` over HTTP: 200, or the answer for the client. The request has the method and the
  /// host of the original one, and its path and query at the end of the query.
  ENVOY,
  /// The Lua of `deploy/room/fairgate.lua`: 204, or the answer for the client.
  HAPROXY;

  /// The words of the parameter `d`.
  static final String WORDS = "nginx, caddy, traefik, envoy, haproxy";

  static Optional<ProxyDialect> of(String word) {
    for (ProxyDialect dialect : values()) {
      if (dialect.name().toLowerCase(Locale.ROOT).equals(word)) {
        return Optional.of(dialect);
      }
    }
    return Optional.empty();
  }
}
