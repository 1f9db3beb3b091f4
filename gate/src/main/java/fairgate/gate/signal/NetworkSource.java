package fairgate.gate.signal;

import fairgate.gate.ban.Networks;
import fairgate.gate.ban.Networks.NetworkKind;
import fairgate.gate.challenge.RecentMap;
import fairgate.gate.risk.Feature;
import fairgate.gate.risk.FeatureSchema;
import fairgate.gate.risk.FeatureSource;
import fairgate.gate.risk.Features;
import fairgate.gate.risk.RiskRequest;
import fairgate.gate.risk.RiskRoute;
import fairgate.kernel.Caller;
import fairgate.kernel.ClientAddress;
import fairgate.kernel.DeviceId;
import io.vertx.core.Future;
import java.time.Clock;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/// The network of the address by the operator's files: country, use, lists of proxies, VPNs and Tor
/// exits; whether the browser came from another country within the last hour; and the joins of the
/// autonomous system on this node.
///
/// False positives: VPNs and relays are ordinary for many people, company networks are in data
/// centres, files are months old, and travellers change countries. A hosting network counts the
/// most, because few people buy from there; nothing here refuses anybody alone. Callers on the
/// allow-list are marked, so that rules can leave them out.
public final class NetworkSource implements FeatureSource {
  private static final FeatureSchema SCHEMA = FeatureSchema.latest();
  private static final Feature COUNTRY = SCHEMA.feature("country");
  private static final Feature ASN_CLASS = SCHEMA.feature("asn_class");
  private static final Feature HOSTING = SCHEMA.feature("network_hosting");
  private static final Feature MOBILE = SCHEMA.feature("network_mobile");
  private static final Feature PROXY = SCHEMA.feature("network_proxy");
  private static final Feature VPN = SCHEMA.feature("network_vpn");
  private static final Feature TOR = SCHEMA.feature("network_tor");
  private static final Feature ALLOWED = SCHEMA.feature("network_allowed");
  private static final Feature JOINS_OF_ASN = SCHEMA.feature("joins_of_asn");
  private static final Feature COUNTRY_CHANGED = SCHEMA.feature("country_changed");

  private static final Duration MEMORY = Duration.ofHours(1);
  private static final int MAX_DEVICES = 65_536;
  private static final Duration MINUTE = Duration.ofMinutes(1);
  private static final int MAX_SYSTEMS = 16_384;

  private final Networks networks;
  private final Predicate<Caller> isAllowed;
  private final RecentMap<Countries> countries;
  private final RecentMap<AtomicInteger> joins;

  private static final class Countries {
    private String first = "";
    private boolean several;

    synchronized void add(String country) {
      several |= !first.isEmpty() && !first.equals(country);
      first = first.isEmpty() ? country : first;
    }

    synchronized int differ() {
      return several ? 1 : 0;
    }

    synchronized String first() {
      return first;
    }
  }

  /// @param isAllowed whether the caller is on the operator's allow-list
  public NetworkSource(Networks networks, Predicate<Caller> isAllowed, Clock clock) {
    this.networks = networks;
    this.isAllowed = isAllowed;
    this.countries = new RecentMap<>(clock, MEMORY, MAX_DEVICES, Countries::new);
    this.joins = new RecentMap<>(clock, MINUTE, MAX_SYSTEMS, AtomicInteger::new);
  }

  @Override
  public Future<Void> contribute(RiskRequest request, Features.Builder features) {
    ClientAddress address = request.caller().address();
    if (address.equals(ClientAddress.NONE)) {
      return DONE;
    }
    Networks.Facts facts = networks.facts(address);
    features.set(COUNTRY, facts.country());
    features.set(ASN_CLASS, facts.kind().word());
    features.set(HOSTING, facts.kind() == NetworkKind.HOSTING);
    features.set(MOBILE, facts.kind() == NetworkKind.MOBILE);
    features.set(PROXY, facts.proxy());
    features.set(VPN, facts.vpn());
    features.set(TOR, facts.tor());
    features.set(ALLOWED, isAllowed.test(request.caller()));
    features.set(COUNTRY_CHANGED, hasChanged(request.caller().device(), facts.country()));
    if (facts.asn() != 0) {
      features.set(JOINS_OF_ASN, joins(request, Long.toString(facts.asn())));
    }
    return DONE;
  }

  private int joins(RiskRequest request, String asn) {
    if (request.route() == RiskRoute.JOIN) {
      joins.touch(asn, AtomicInteger::incrementAndGet);
    }
    return joins.recent(asn, AtomicInteger::get);
  }

  private boolean hasChanged(@Nullable DeviceId device, String country) {
    if (device == null || country.isEmpty()) {
      return false;
    }
    Countries before = countries.latest(device.value());
    boolean other = before != null && !before.first().isEmpty() && !before.first().equals(country);
    countries.touch(device.value(), one -> one.add(country));
    return other || countries.max(device.value(), Countries::differ) > 0;
  }
}
