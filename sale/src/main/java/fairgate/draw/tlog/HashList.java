package fairgate.draw.tlog;

import java.util.Arrays;

/// A growing list of hashes in one array, for trees of a million leaves.
public final class HashList {
  private static final int MAX_SIZE = Integer.MAX_VALUE / Hash.LENGTH - 1;

  private byte[] bytes = new byte[16 * Hash.LENGTH];
  private int size;

  public static HashList of(Iterable<Hash> hashes) {
    HashList list = new HashList();
    hashes.forEach(list::add);
    return list;
  }

  public void add(Hash hash) {
    if (size == MAX_SIZE) {
      throw new IllegalStateException("a list holds at most " + MAX_SIZE + " hashes");
    }
    if ((size + 1) * Hash.LENGTH > bytes.length) {
      bytes =
          Arrays.copyOf(bytes, (int) Math.min(2L * bytes.length, (long) MAX_SIZE * Hash.LENGTH));
    }
    hash.copyTo(bytes, size * Hash.LENGTH);
    size++;
  }

  public Hash get(int index) {
    if (index < 0 || index >= size) {
      throw new IndexOutOfBoundsException(index);
    }
    return Hash.at(bytes, index * Hash.LENGTH);
  }

  public int size() {
    return size;
  }

  public byte[] bytes(int from, int to) {
    return Arrays.copyOfRange(bytes, from * Hash.LENGTH, to * Hash.LENGTH);
  }
}
