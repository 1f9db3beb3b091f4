package fairgate.gate.signal;

import fairgate.gate.challenge.DistinctCount;
import fairgate.gate.challenge.RecentMap;
import fairgate.gate.risk.Feature;
import fairgate.gate.risk.FeatureSchema;
import fairgate.gate.risk.FeatureSource;
import fairgate.gate.risk.Features;
import fairgate.gate.risk.RiskRequest;
import fairgate.gate.risk.RiskRoute;
import fairgate.kernel.AddressBlock;
import fairgate.kernel.Caller;
import fairgate.kernel.ClientAddress;
import fairgate.kernel.DeviceId;
import fairgate.kernel.ProductId;
import io.vertx.core.Future;
import java.time.Clock;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;

/// Statistics of the crowd: joins and distinct browsers per network, networks and sales per
/// browser, equal intervals between joins, and accounts registered in a burst.
///
/// Networks count joins that gave a new place, and browsers whose challenge was accepted, after the
/// join was judged: otherwise anybody could seat the neighbours behind others by joins that cost no
/// challenge. What belongs to one browser counts each request before it is judged, so its own
/// features include it.
///
/// Counts are kept in memory, by this node, and are bounded: a table that is full does not count
/// new keys until its period ends. With n nodes, each sees about an n-th of the crowd.
///
/// False positives: a school, an office or a mobile carrier has many people behind one address, and
/// all of them come at the opening of a sale; a class registers together. So counts of networks
/// alone give few points, networks of carriers and those on the allow-list none. Eight joins in
/// equal intervals do not happen among people.
public final class CrowdSource implements FeatureSource {
  private static final FeatureSchema SCHEMA = FeatureSchema.latest();
  private static final Feature JOINS_OF_ADDRESS = SCHEMA.feature("joins_of_address");
  private static final Feature JOINS_OF_NETWORK = SCHEMA.feature("joins_of_network");
  private static final Feature JOINS_OF_SITE = SCHEMA.feature("joins_of_site");
  private static final Feature ADDRESS_HOUR = SCHEMA.feature("joins_of_address_hour");
  private static final Feature NETWORK_HOUR = SCHEMA.feature("joins_of_network_hour");
  private static final Feature DEVICES_OF_ADDRESS = SCHEMA.feature("devices_of_address");
  private static final Feature DEVICES_OF_NETWORK = SCHEMA.feature("devices_of_network");
  private static final Feature ADDRESSES_OF_DEVICE = SCHEMA.feature("addresses_of_device");
  private static final Feature REQUESTS_OF_DEVICE = SCHEMA.feature("requests_of_device");
  private static final Feature SALES_JOINED = SCHEMA.feature("sales_joined");
  private static final Feature EQUAL_INTERVAL = SCHEMA.feature("joins_equal_interval");
  private static final Feature ACCOUNTS_BURST = SCHEMA.feature("accounts_created_burst");

  private static final Duration MINUTE = Duration.ofMinutes(1);
  private static final Duration HOUR = Duration.ofHours(1);
  private static final Duration DAY = Duration.ofDays(1);

  /// Keys of one period of one table. All tables together take at most about 100 MB.
  static final int MAX_KEYS = 32_768;

  private final Clock clock;
  private final RecentMap<AtomicInteger> joins;
  private final RecentMap<AtomicInteger> hourlyJoins;
  private final RecentMap<AtomicInteger> requests;
  private final RecentMap<DistinctCount> devices;
  private final RecentMap<DistinctCount> addresses;
  private final RecentMap<DistinctCount> sales;
  private final RecentMap<Intervals> intervals;
  private final RecentMap<AtomicInteger> registrations;
  private final RecentMap<Origin> origins;

  /// The network and hour in which an account was registered.
  private static final class Origin {
    private volatile String network = "";
    private volatile long hour;
  }

  public CrowdSource(Clock clock) {
    this.clock = clock;
    this.joins = table(MINUTE, AtomicInteger::new);
    this.hourlyJoins = table(HOUR, AtomicInteger::new);
    this.requests = table(MINUTE, AtomicInteger::new);
    this.devices = table(HOUR, DistinctCount::new);
    this.addresses = table(DAY, DistinctCount::new);
    this.sales = table(HOUR, DistinctCount::new);
    this.intervals = table(HOUR, Intervals::new);
    this.registrations = table(DAY, AtomicInteger::new);
    this.origins = table(DAY, Origin::new);
  }

  private <V> RecentMap<V> table(Duration period, Supplier<V> factory) {
    return new RecentMap<>(clock, period, MAX_KEYS, factory);
  }

  public void registered(String account, ClientAddress address) {
    String network = Networks.of(address).network();
    long hour = hour();
    registrations.touch(hour + " " + network, AtomicInteger::incrementAndGet);
    origins.touch(
        account,
        origin -> {
          origin.network = network;
          origin.hour = hour;
        });
  }

  /// The challenge of a join was accepted.
  ///
  /// @param placed whether the join gave a new place
  void accepted(ProductId sale, Caller caller, boolean placed) {
    ClientAddress address = caller.address();
    if (Networks.isUnknown(address)) {
      return;
    }
    Networks networks = Networks.of(address);
    if (placed) {
      count(networks);
      intervals.touch(source(sale.value(), networks), times -> times.add(clock.millis()));
    }
    DeviceId device = caller.device();
    if (device != null) {
      devices.touch(networks.address(), one -> one.add(device.value()));
      devices.touch(networks.network(), one -> one.add(device.value()));
    }
  }

  private static String source(String sale, Networks networks) {
    return sale + ' ' + networks.network();
  }

  @Override
  public Future<Void> contribute(RiskRequest request, Features.Builder features) {
    DeviceId device = request.caller().device();
    ClientAddress address = request.caller().address();
    if (!Networks.isUnknown(address)) {
      networks(request, Networks.of(address), features);
    }
    if (device != null && isReturning(request)) {
      device(request, device.value(), address.key(), features);
    } else if (device != null) {
      firstRequest(features);
    }
    String account = request.caller().account();
    if (account != null) {
      features.set(ACCOUNTS_BURST, burst(account));
    }
    return DONE;
  }

  private void networks(RiskRequest request, Networks networks, Features.Builder features) {
    if (request.route() == RiskRoute.JOIN) {
      String source = source(request.sale(), networks);
      features.set(EQUAL_INTERVAL, intervals.max(source, one -> one.areEqual() ? 1 : 0) == 1);
    }
    features.set(JOINS_OF_ADDRESS, recentJoins(networks.address()));
    features.set(JOINS_OF_NETWORK, recentJoins(networks.network()));
    features.set(JOINS_OF_SITE, recentJoins(networks.site()));
    features.set(ADDRESS_HOUR, hourlyJoins.recent(networks.address(), AtomicInteger::get));
    features.set(NETWORK_HOUR, hourlyJoins.recent(networks.network(), AtomicInteger::get));
    features.set(DEVICES_OF_ADDRESS, devices.max(networks.address(), DistinctCount::count));
    features.set(DEVICES_OF_NETWORK, devices.max(networks.network(), DistinctCount::count));
  }

  /// Whether the browser has sent its cookie. Another one has a name that no later request need
  /// have, so counting it would fill the tables with names that mean nothing.
  private static boolean isReturning(RiskRequest request) {
    return request.http() == null || request.http().returning() != null;
  }

  private static void firstRequest(Features.Builder features) {
    features.set(REQUESTS_OF_DEVICE, 1);
    features.set(ADDRESSES_OF_DEVICE, 1);
  }

  private void device(
      RiskRequest request, String device, String address, Features.Builder features) {
    requests.touch(device, AtomicInteger::incrementAndGet);
    addresses.touch(device, one -> one.add(address));
    if (request.route() == RiskRoute.JOIN) {
      sales.touch(device, one -> one.add(request.sale()));
    }
    features.set(REQUESTS_OF_DEVICE, requests.recent(device, AtomicInteger::get));
    features.set(ADDRESSES_OF_DEVICE, addresses.max(device, DistinctCount::count));
    features.set(SALES_JOINED, Math.max(0, sales.max(device, DistinctCount::count) - 1));
  }

  private void count(Networks networks) {
    joins.touch(networks.address(), AtomicInteger::incrementAndGet);
    joins.touch(networks.network(), AtomicInteger::incrementAndGet);
    if (!networks.site().isEmpty()) {
      joins.touch(networks.site(), AtomicInteger::incrementAndGet);
    }
    hourlyJoins.touch(networks.address(), AtomicInteger::incrementAndGet);
    hourlyJoins.touch(networks.network(), AtomicInteger::incrementAndGet);
  }

  private int recentJoins(String network) {
    return joins.recent(network, AtomicInteger::get);
  }

  /// Accounts registered from the network of this one within the same hour of the clock; 0 when
  /// this node has not seen the registration.
  private int burst(String account) {
    Origin origin = origins.latest(account);
    return origin == null
        ? 0
        : registrations.max(origin.hour + " " + origin.network, AtomicInteger::get);
  }

  private long hour() {
    return clock.millis() / HOUR.toMillis();
  }

  /// The times of the last events of one source, to recognise equal intervals. Thread-safe.
  ///
  /// People arrive at random: the intervals of their arrivals vary as much as their mean. A loop
  /// with a pause gives intervals that differ by a few milliseconds.
  static final class Intervals {
    private static final int KEPT = 8;
    private static final long SHORTEST_MEAN_MILLIS = 20;

    private final long[] times = new long[KEPT];
    private int count;

    synchronized void add(long nowMillis) {
      times[count % KEPT] = nowMillis;
      count++;
    }

    /// Whether the last seven intervals differ from their mean by at most a twentieth. False with
    /// fewer events, and with intervals too short to compare.
    synchronized boolean areEqual() {
      if (count < KEPT) {
        return false;
      }
      long previous = times[count % KEPT];
      long mean = (times[(count - 1) % KEPT] - previous) / (KEPT - 1);
      if (mean < SHORTEST_MEAN_MILLIS) {
        return false;
      }
      for (int i = 1; i < KEPT; i++) {
        long time = times[(count + i) % KEPT];
        if (Math.abs(time - previous - mean) * 20 > mean) {
          return false;
        }
        previous = time;
      }
      return true;
    }
  }

  /// The networks by which the crowd is counted, from narrow to wide.
  ///
  /// @param address the IPv4 address, or the /64 of IPv6
  /// @param network the /24, or the /56
  /// @param site the /48 of IPv6; empty for IPv4
  record Networks(String address, String network, String site) {
    private static final int V6_ADDRESS_BITS = 64;
    private static final int V6_NETWORK_BITS = 56;

    private static final AddressBlock LOOPBACK_V4 =
        Objects.requireNonNull(AddressBlock.parse("127.0.0.0/8"));
    private static final AddressBlock LOOPBACK_V6 =
        Objects.requireNonNull(AddressBlock.parse("::1"));

    /// Whether the address says nothing about a client: it has none, or it is that of a program on
    /// this machine, such as a proxy that is not configured.
    static boolean isUnknown(ClientAddress address) {
      return address.equals(ClientAddress.NONE)
          || LOOPBACK_V4.contains(address)
          || LOOPBACK_V6.contains(address);
    }

    static Networks of(ClientAddress address) {
      return address.isV4()
          ? new Networks(address.text(), address.network().text(), "")
          : new Networks(
              new AddressBlock(address, V6_ADDRESS_BITS).text(),
              new AddressBlock(address, V6_NETWORK_BITS).text(),
              address.network().text());
    }
  }
}
