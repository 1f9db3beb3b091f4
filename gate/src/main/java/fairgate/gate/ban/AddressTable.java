package fairgate.gate.ban;

import fairgate.kernel.AddressBlock;
import fairgate.kernel.ClientAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/// A table of values by address block, with lookup by address, narrowest block first.
///
/// It is one hash table with one lookup for each prefix length in use (a real list has about a
/// dozen; the maximum is 33 for IPv4 and 129 for IPv6), so the cost of a lookup does not depend on
/// the number of entries. Readers never wait; writers wait for each other.
final class AddressTable<V> {
  private static final int LENGTHS = 129;

  private final Map<AddressBlock, V> byBlock = new ConcurrentHashMap<>();
  private final int[] v4 = new int[LENGTHS];
  private final int[] v6 = new int[LENGTHS];
  private volatile int[] v4Lengths = {};
  private volatile int[] v6Lengths = {};

  synchronized void put(AddressBlock block, V value) {
    if (byBlock.put(block, value) == null) {
      count(block, 1);
    }
  }

  synchronized void remove(AddressBlock block) {
    if (byBlock.remove(block) != null) {
      count(block, -1);
    }
  }

  @Nullable V get(AddressBlock block) {
    return byBlock.get(block);
  }

  /// The values of all blocks around the address, narrowest block first.
  List<V> around(ClientAddress address) {
    List<V> found = new ArrayList<>();
    for (int length : address.isV4() ? v4Lengths : v6Lengths) {
      V value = byBlock.get(new AddressBlock(address, length));
      if (value != null) {
        found.add(value);
      }
    }
    return found;
  }

  private void count(AddressBlock block, int change) {
    int[] counts = block.isV4() ? v4 : v6;
    counts[block.bits()] += change;
    int used = 0;
    for (int count : counts) {
      used += count > 0 ? 1 : 0;
    }
    int[] lengths = new int[used];
    int at = 0;
    for (int length = LENGTHS - 1; length >= 0; length--) {
      if (counts[length] > 0) {
        lengths[at++] = length;
      }
    }
    if (block.isV4()) {
      v4Lengths = lengths;
    } else {
      v6Lengths = lengths;
    }
  }
}
