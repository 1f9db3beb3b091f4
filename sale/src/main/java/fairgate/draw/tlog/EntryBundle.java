package fairgate.draw.tlog;

import java.io.ByteArrayOutputStream;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;

/// The content of a tile of entries: each entry with its length before it, as two bytes.
public final class EntryBundle {
  public static final int MAX_ENTRY = 65_535;

  private EntryBundle() {}

  public static byte[] write(List<byte[]> entries) {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    for (byte[] entry : entries) {
      if (entry.length > MAX_ENTRY) {
        throw new IllegalArgumentException("an entry has at most " + MAX_ENTRY + " bytes");
      }
      out.write(entry.length >> 8);
      out.write(entry.length);
      out.writeBytes(entry);
    }
    return out.toByteArray();
  }

  public static Optional<List<byte[]>> parse(byte[] bytes, int count) {
    List<byte[]> entries = new ArrayList<>(count);
    int at = 0;
    while (at < bytes.length && entries.size() < count) {
      int start = at + 2;
      if (start > bytes.length) {
        return Optional.empty();
      }
      int end = start + ((bytes[at] & 255) << 8 | (bytes[at + 1] & 255));
      if (end > bytes.length) {
        return Optional.empty();
      }
      entries.add(Arrays.copyOfRange(bytes, start, end));
      at = end;
    }
    return at == bytes.length && entries.size() == count ? Optional.of(entries) : Optional.empty();
  }
}
