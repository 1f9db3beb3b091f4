package fairgate.gate.limit;

/// The property of a call by which a limit counts.
public enum Dimension {
  /// All calls of the installation.
  GLOBAL,
  /// One route, all callers.
  ROUTE,
  /// One client address: IPv4, or the /56 of an IPv6 address.
  IP,
  /// The account of a signed-in caller; the client address, as in [#IP], of a guest.
  CLIENT,
  /// The network of the address: /24 of IPv4, /48 of IPv6.
  NETWORK,
  /// The autonomous system of the address, where it is known.
  ASN,
  /// The client address, as in [#IP], of a caller that neither sent our cookie nor signed its
  /// request.
  NEW_BROWSER,
  /// A person: the account, or the browser when nobody is signed in.
  USER,
  /// A browser that sent our cookie.
  DEVICE,
  /// A place in a queue.
  SESSION;

  /// The name in settings and docs.
  String word() {
    return switch (this) {
      case GLOBAL -> "everything";
      case ROUTE -> "route";
      case IP -> "address";
      case CLIENT -> "account or address";
      case NETWORK -> "network";
      case ASN -> "provider";
      case NEW_BROWSER -> "address, without our cookie";
      case USER -> "person";
      case DEVICE -> "browser";
      case SESSION -> "place";
    };
  }

  /// Whether all callers from one address share the key, as far as they have the same account or
  /// none.
  boolean coversAddress() {
    return switch (this) {
      case GLOBAL, ROUTE, IP, CLIENT, NETWORK, ASN -> true;
      case NEW_BROWSER, USER, DEVICE, SESSION -> false;
    };
  }
}
