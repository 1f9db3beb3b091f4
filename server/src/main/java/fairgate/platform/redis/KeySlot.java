package fairgate.platform.redis;

import io.vertx.redis.client.impl.ZModem;
import org.jspecify.annotations.Nullable;

/// What Redis Cluster makes of a key's name:
/// <https://redis.io/docs/latest/operate/oss_and_stack/reference/cluster-spec/>.
final class KeySlot {
  /// How many there are.
  static final int COUNT = 16_384;

  private KeySlot() {}

  /// The slot of a key: CRC16 of its hash tag, or of the whole name where it has none.
  static int of(String key) {
    return ZModem.generate(key);
  }

  /// What stands in the first pair of braces; null where that decides nothing.
  static @Nullable String tag(String key) {
    int open = key.indexOf('{');
    int close = open < 0 ? -1 : key.indexOf('}', open + 1);
    return close > open + 1 ? key.substring(open + 1, close) : null;
  }
}
