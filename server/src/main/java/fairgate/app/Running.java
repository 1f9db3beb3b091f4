package fairgate.app;

import java.util.Map;

/// A started server, as the commands see it.
public interface Running extends AutoCloseable {
  /// The port it accepts requests on.
  int port();

  /// What to tell the operator, in this order: a few words to an address or name, for example `demo
  /// sale` to `/p/demo`. Values that begin with a slash are printed as full addresses.
  Map<String, String> facts();

  /// Stops: takes no new requests, lets those under way finish, closes every connection. Within 6
  /// s; the engines stop after it.
  @Override
  void close();
}
