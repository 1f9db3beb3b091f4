package fairgate.gate.address;

import fairgate.kernel.ClientAddress;
import fairgate.kernel.DeviceId;
import java.time.Clock;
import java.util.concurrent.atomic.AtomicLongArray;

/// Estimates how many people share an address, and scales the address's rate limits accordingly. It
/// tells a household from a carrier's NAT, and one owner of many IPv6 prefixes from many people.
///
/// An address gets one more budget for every five browsers that have solved a challenge behind it.
/// A cookie alone costs nothing and does not count. Only the last ten to twenty minutes on this
/// node count. Memory is bounded; an address that does not fit has the normal budget. Thread-safe
/// and non-blocking.
public final class AddressService {
  /// The number of browsers behind one address for one more budget.
  public static final int DEVICES_PER_BUDGET = 5;

  /// The maximum budget of an address.
  public static final int MAX_BUDGET = 40;

  /// A /48 with more active /56 prefixes than this is counted as a whole.
  public static final int MANY_PREFIXES = 32;

  /// The minimum budget of a /48 that is counted as a whole.
  public static final int MIN_NETWORK_BUDGET = 8;

  private final RecentMap<Devices> devices;
  private final RecentMap<AtomicLongArray> prefixes;

  public AddressService(Clock clock) {
    this.devices = new RecentMap<>(clock, Devices::new);
    this.prefixes = new RecentMap<>(clock, () -> new AtomicLongArray(4));
  }

  /// The limit key and budget of a request's address. The call marks the address's /56 as active.
  public AddressBudget of(ClientAddress address) {
    String network = address.network().text();
    if (!address.isV4() && isOneOwner(address, network)) {
      int budget = Math.max(MIN_NETWORK_BUDGET, budget(devicesAt(network)));
      return new AddressBudget(network, network, budget);
    }
    String key = address.key();
    return new AddressBudget(key, network, budget(devicesAt(key)));
  }

  /// Records that a browser at this address has solved a challenge.
  public void recordSolvedChallenge(ClientAddress address, DeviceId device) {
    devices.touch(address.key(), one -> one.add(device));
    if (!address.isV4()) {
      devices.touch(address.network().text(), one -> one.add(device));
    }
  }

  private int devicesAt(String key) {
    return devices.max(key, Devices::count);
  }

  private static int budget(int devices) {
    return Math.clamp(devices / DEVICES_PER_BUDGET, 1, MAX_BUDGET);
  }

  /// Whether the /48 probably belongs to one owner: many active /56 prefixes and few browsers.
  private boolean isOneOwner(ClientAddress address, String network) {
    int prefix = (int) (address.high() >>> 8 & 0xff);
    prefixes.touch(network, bits -> set(bits, prefix));
    int busy = prefixes.max(network, AddressService::count);
    return busy > MANY_PREFIXES && devicesAt(network) * 2 < busy;
  }

  private static void set(AtomicLongArray bits, int index) {
    long bit = 1L << (index & 63);
    if ((bits.get(index >> 6) & bit) == 0) {
      long _ = bits.accumulateAndGet(index >> 6, bit, (a, b) -> a | b);
    }
  }

  private static int count(AtomicLongArray bits) {
    int count = 0;
    for (int i = 0; i < bits.length(); i++) {
      count += Long.bitCount(bits.get(i));
    }
    return count;
  }

  /// Estimates the number of distinct browsers by linear counting in 512 bits; within a tenth up to
  /// 300.
  private static final class Devices {
    private static final int BITS = 512;

    private final AtomicLongArray bits = new AtomicLongArray(BITS / 64);

    void add(DeviceId device) {
      // The id is random already; this spreads the hash of its text.
      int hash = device.value().hashCode() * 0x9e3779b9;
      set(bits, hash >>> 23);
    }

    int count() {
      int free = BITS - AddressService.count(bits);
      return free == 0 ? BITS * 4 : (int) Math.round(-BITS * Math.log((double) free / BITS));
    }
  }
}
