package fairgate.platform.redis;

import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/// Computes the cluster slot of a key as the specification defines it:
/// <https://redis.io/docs/latest/operate/oss_and_stack/reference/cluster-spec/>. The client library
/// is wrong for non-ASCII letters and some braces.
final class KeySlot {
  static final int COUNT = 16_384;

  private static final int POLYNOMIAL = 0x1021;
  private static final int[] TABLE = table();

  private KeySlot() {}

  /// The slot of a key: CRC16 (XMODEM) of its hash tag, or of the whole key without one.
  static int of(String key) {
    String tag = tag(key);
    int crc = 0;
    for (byte one : (tag == null ? key : tag).getBytes(StandardCharsets.UTF_8)) {
      crc = (crc << 8 & 0xffff) ^ TABLE[(crc >>> 8 ^ one) & 0xff];
    }
    return crc % COUNT;
  }

  /// The hash tag: the text between the first opening brace and the next closing one; null when it
  /// is absent or empty.
  static @Nullable String tag(String key) {
    int open = key.indexOf('{');
    int close = open < 0 ? -1 : key.indexOf('}', open + 1);
    return close > open + 1 ? key.substring(open + 1, close) : null;
  }

  private static int[] table() {
    int[] table = new int[256];
    for (int i = 0; i < table.length; i++) {
      int crc = i << 8;
      for (int bit = 0; bit < 8; bit++) {
        crc = (crc & 0x8000) == 0 ? crc << 1 : crc << 1 ^ POLYNOMIAL;
      }
      table[i] = crc & 0xffff;
    }
    return table;
  }
}
