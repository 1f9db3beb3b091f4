package fairgate.bench.limit;

import java.util.function.BooleanSupplier;

/// A limiter on one node, with its own connections.
interface Peer extends AutoCloseable {
  /// Something that asks for one call of this key: whether it is granted.
  ///
  /// @param perSecond calls a second
  /// @param burst calls at once
  BooleanSupplier open(String key, int perSecond, int burst);

  @Override
  void close();
}
