package fairgate.gate.address;

import fairgate.kernel.ClientAddress;
import fairgate.kernel.DeviceId;
import java.time.Clock;
import java.util.concurrent.atomic.AtomicLongArray;

/// Tells a household from a carrier's NAT, and one owner of many IPv6 prefixes from many people.
///
/// An address gets a wider budget by the browsers that solved a challenge behind it, one more for
/// every five of them: a cookie alone costs nothing and counts for nothing. What this node saw in
/// the last ten to twenty minutes counts; memory is bounded, and what does not fit has the usual
/// budget. Safe on any thread, and never blocks.
public final class AddressService {
  /// Browsers behind one address that earn it one budget more.
  public static final int DEVICES_PER_BUDGET = 5;

  /// The widest budget of one address.
  public static final int WIDEST = 40;

  /// A /48 with more busy /56 than this is looked at as a whole.
  public static final int MANY_PREFIXES = 32;

  /// The least budget of a /48 that is counted as one.
  public static final int NETWORK_BUDGET = 8;

  private final Recent<Devices> devices;
  private final Recent<AtomicLongArray> prefixes;

  public AddressService(Clock clock) {
    this.devices = new Recent<>(clock, Devices::new);
    this.prefixes = new Recent<>(clock, () -> new AtomicLongArray(4));
  }

  /// How the limits count a request from here. Asking is what makes a /56 busy.
  public AddressStanding of(ClientAddress address) {
    String network = address.network().text();
    if (!address.isV4() && hops(address, network)) {
      int budget = Math.max(NETWORK_BUDGET, budget(known(network)));
      return new AddressStanding(network, network, budget);
    }
    String key = address.key();
    return new AddressStanding(key, network, budget(known(key)));
  }

  /// A browser at this address has solved a challenge.
  public void proved(ClientAddress address, DeviceId device) {
    devices.touch(address.key(), one -> one.add(device));
    if (!address.isV4()) {
      devices.touch(address.network().text(), one -> one.add(device));
    }
  }

  private int known(String key) {
    return devices.most(key, Devices::count);
  }

  private static int budget(int devices) {
    return Math.clamp(devices / DEVICES_PER_BUDGET, 1, WIDEST);
  }

  /// Whether the /48 looks like one owner's: many busy /56 and few people to match.
  private boolean hops(ClientAddress address, String network) {
    int prefix = (int) (address.high() >>> 8 & 0xff);
    prefixes.touch(network, bits -> set(bits, prefix));
    int busy = prefixes.most(network, AddressService::count);
    return busy > MANY_PREFIXES && known(network) * 2 < busy;
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

  /// About how many different browsers: linear counting in 512 bits, within a tenth up to 300.
  private static final class Devices {
    private static final int BITS = 512;

    private final AtomicLongArray bits = new AtomicLongArray(BITS / 64);

    void add(DeviceId device) {
      // The id is random already; its text's hash is spread once more.
      int hash = device.value().hashCode() * 0x9e3779b9;
      set(bits, hash >>> 23);
    }

    int count() {
      int free = BITS - AddressService.count(bits);
      return free == 0 ? BITS * 4 : (int) Math.round(-BITS * Math.log((double) free / BITS));
    }
  }
}
