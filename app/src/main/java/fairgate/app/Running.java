package fairgate.app;

import java.util.Map;
import java.util.Optional;

/// A started server, as seen by the commands.
public interface Running extends AutoCloseable {
  /// The port on which it accepts requests.
  int port();

  /// The port on which it serves the console.
  int adminPort();

  /// The path of a one-time link for the first owner; empty when an owner can sign in. An earlier
  /// link ends. Blocks.
  Optional<String> firstOwnerLink();

  /// Facts to print for the operator, in this order: a few words and an address or name, for
  /// example `demo sale` and `/p/demo`. A value that begins with a slash is printed as a full
  /// address.
  Map<String, String> facts();

  /// Reports that it is not ready and closes connections after their replies, but serves on, so
  /// that balancers notice before it stops.
  void leave();

  /// Stops the server: refuses new requests, waits for those in flight, and closes every
  /// connection. Takes 6 s at most; the engines stop afterwards.
  @Override
  void close();
}
