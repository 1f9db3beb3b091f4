package fairgate.gate.limit;

/// What a limit counts by.
public enum Dimension {
  /// Everything this installation is asked.
  GLOBAL,
  /// One route, whoever asks.
  ROUTE,
  /// One client's address: IPv4, or the /56 an IPv6 address lies in.
  IP,
  /// The network around it: /24 of IPv4, /48 of IPv6.
  NETWORK,
  /// The autonomous system the address belongs to, where it is known.
  ASN,
  /// A person: the account, or the browser of somebody who has none.
  USER,
  /// A browser that brought our cookie.
  DEVICE,
  /// A place in a queue.
  SESSION;

  /// The word in documents.
  String word() {
    return switch (this) {
      case GLOBAL -> "everything";
      case ROUTE -> "route";
      case IP -> "address";
      case NETWORK -> "network";
      case ASN -> "provider";
      case USER -> "person";
      case DEVICE -> "browser";
      case SESSION -> "place";
    };
  }

  /// Whether all nodes and callers share one key, which is then leased to nodes in slices.
  boolean isShared() {
    return this == GLOBAL || this == ROUTE;
  }

  /// Whether all who call from one address share the key.
  boolean coversAddress() {
    return switch (this) {
      case GLOBAL, ROUTE, IP, NETWORK, ASN -> true;
      case USER, DEVICE, SESSION -> false;
    };
  }
}
