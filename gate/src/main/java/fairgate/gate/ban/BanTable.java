package fairgate.gate.ban;

import fairgate.kernel.AddressBlock;
import fairgate.kernel.BanSubject;
import fairgate.kernel.ClientAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/// The entries of one effect in memory, by subject. Readers never wait.
final class BanTable {
  private final AddressTable<Ban> addresses = new AddressTable<>();
  private final Map<BanSubject, Ban> bySubject = new ConcurrentHashMap<>();
  private final Map<BanSubject.Kind, Integer> counts = new ConcurrentHashMap<>();

  /// Adds an entry; replaces one with the same subject.
  synchronized void put(Ban ban) {
    if (bySubject.put(ban.subject(), ban) == null) {
      counts.merge(ban.subject().kind(), 1, Integer::sum);
    }
    AddressBlock block = block(ban.subject());
    if (block != null) {
      addresses.put(block, ban);
    }
  }

  synchronized void remove(BanSubject subject) {
    if (bySubject.remove(subject) != null) {
      counts.merge(subject.kind(), -1, Integer::sum);
    }
    AddressBlock block = block(subject);
    if (block != null) {
      Ban twin = bySubject.get(twin(subject, block));
      // `10.0.0.1` and `10.0.0.1/32` are two subjects but one block.
      if (twin == null) {
        addresses.remove(block);
      } else {
        addresses.put(block, twin);
      }
    }
  }

  @Nullable Ban get(BanSubject subject) {
    return bySubject.get(subject);
  }

  int size() {
    return bySubject.size();
  }

  /// Whether there is any entry of this kind, in force or not.
  boolean has(BanSubject.Kind kind) {
    return counts.getOrDefault(kind, 0) > 0;
  }

  /// The entries in force for an address and the blocks around it, narrowest first.
  Stream<Ban> around(ClientAddress address, long now) {
    return addresses.around(address).stream().filter(ban -> ban.holds(now));
  }

  /// The entry in force for a subject other than an address.
  @Nullable Ban find(BanSubject subject, long now) {
    Ban ban = bySubject.get(subject);
    return ban != null && ban.holds(now) ? ban : null;
  }

  /// The entry in force for an autonomous system. The number is looked up only when needed.
  @Nullable Ban findAsn(LongSupplier number, long now) {
    if (!has(BanSubject.Kind.ASN)) {
      return null;
    }
    long asn = number.getAsLong();
    return asn == 0 ? null : find(BanSubject.asn(asn), now);
  }

  /// The entry in force for a country. The country is looked up only when needed.
  @Nullable Ban findCountry(Supplier<String> country, long now) {
    if (!has(BanSubject.Kind.COUNTRY)) {
      return null;
    }
    String code = country.get();
    return code.isEmpty() ? null : find(BanSubject.country(code), now);
  }

  void sweep(long now) {
    List<BanSubject> expired = new ArrayList<>();
    for (Ban ban : bySubject.values()) {
      if (!ban.holds(now)) {
        expired.add(ban.subject());
      }
    }
    expired.forEach(this::remove);
  }

  private static @Nullable AddressBlock block(BanSubject subject) {
    return switch (subject.kind()) {
      case IP, NETWORK -> Objects.requireNonNull(AddressBlock.parse(subject.value()));
      case ASN, COUNTRY, DEVICE, ACCOUNT, SESSION -> null;
    };
  }

  private static BanSubject twin(BanSubject subject, AddressBlock block) {
    BanSubject.Kind other =
        subject.kind() == BanSubject.Kind.IP ? BanSubject.Kind.NETWORK : BanSubject.Kind.IP;
    return new BanSubject(other, block.text());
  }

  /// A table of values by address block, with lookup by address, narrowest block first.
  ///
  /// It is one hash table with one lookup for each prefix length in use (a real list has about a
  /// dozen; the maximum is 33 for IPv4 and 129 for IPv6), so the cost of a lookup does not depend
  /// on the number of entries. Readers never wait; writers wait for each other.
  static final class AddressTable<V> {
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
}
